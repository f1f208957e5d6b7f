internal import Foundation
internal import Testing
internal import WhereaboutsSharing

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Homes of other users, in which root would follow whatever links they put there.
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

    /// Goal: a directory of somebody else on the way is no better: they may exchange what lies in it.
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
}
