internal import Foundation
internal import Testing

@testable internal import WhereaboutsSharing

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Tests for profiles of other users, in which root would follow their links.
@Suite(.enabled(if: geteuid() == 0, "skipped: only root gives files away")) struct ProfileOwnerTests {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        #expect(throws: SharingError(.badProfile, "")) { try body() }?.message
    }

    @Test func aHomeOfAnotherUserIsRefused() throws {
        let profile = try self.directory.profile("profile")
        #expect(unsafe chown(profile.path, 61_234, 61_235) == 0)
        let opened = self.refusal { _ = try SharingProfile(path: profile.path) }
        let made = self.refusal { _ = try self.directory.profile("profile") }
        #expect(opened == made)
        #expect(opened?.contains("setpriv --reuid=61234 --regid=61235 --clear-groups whereabouts") == true)
    }

    /// Goal: a parent directory of another user is refused, because that user could replace its contents.
    @Test func aHomeBelowAnothersDirectoryIsRefused() throws {
        let folder = self.directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let profile = try self.directory.profile("folder/home")
        #expect(unsafe symlink(folder, self.directory.path + "/link") == 0)
        #expect(unsafe lchown(self.directory.path + "/link", 61_234, 61_234) == 0)
        #expect(self.refusal { _ = try SharingProfile(path: self.directory.path + "/link/home") } != nil)
        #expect(unsafe chown(folder, 61_234, 61_234) == 0)
        #expect(self.refusal { _ = try SharingProfile(path: profile.path) } != nil)
        #expect(self.refusal { _ = try self.directory.profile("folder/new") } != nil)
        #expect(!FileManager.default.fileExists(atPath: folder + "/new"))
    }

    /// Goal: a relative path is checked, too: the owner of the working directory could replace its contents.
    @Test func aProfileBelowAnothersWorkingDirectoryIsRefused() throws {
        let folder = self.directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        _ = try self.directory.profile("folder/profile")
        for path in ["profile", "./profile", "new"] { try ProfileOwner.check(path, from: folder) }
        #expect(unsafe chown(folder, 61_234, 61_234) == 0)
        for path in ["profile", "./profile", "new", "a/new"] {
            let refusal = self.refusal { try ProfileOwner.check(path, from: folder) }
            #expect(refusal?.contains("--profile \(path)") == true)
        }
    }

    /// Goal: a link in the profile's place is refused if another user owns it, or if it leads to another user's
    /// directory.
    @Test func aProfileBehindALinkIsRefused() throws {
        let (home, folder) = (try self.directory.profile("home").path, self.directory.path + "/folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        _ = try self.directory.profile("folder/profile")
        let links = ["a", "b"].map { "\(self.directory.path)/\($0)" }
        #expect(unsafe symlink(home, links[0]) == 0 && symlink("\(folder)/profile", links[1]) == 0)
        for link in links { _ = try SharingProfile(path: link) }
        #expect(unsafe lchown(links[0], 61_234, 61_234) == 0 && chown(folder, 61_234, 61_234) == 0)
        for link in links { #expect(self.refusal { _ = try SharingProfile(path: link) } != nil) }
    }

    /// Goal: a link of root that leads over another user's link is refused, wherever that one leads now.
    @Test func aProfileBehindLinksIsRefused() throws {
        let home = try self.directory.profile("home").path
        let links = ["first", "second"].map { "\(self.directory.path)/\($0)" }
        #expect(unsafe symlink("second", links[0]) == 0 && symlink(home, links[1]) == 0)
        _ = try SharingProfile(path: links[0])
        #expect(unsafe lchown(links[1], 61_234, 61_234) == 0)
        #expect(self.refusal { _ = try SharingProfile(path: links[0]) } != nil)
        #expect(unsafe symlink("loop", self.directory.path + "/loop") == 0)
        #expect(self.refusal { _ = try SharingProfile(path: self.directory.path + "/loop") }?.contains("links") == true)
    }
}
