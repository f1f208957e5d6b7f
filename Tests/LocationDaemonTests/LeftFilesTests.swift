internal import Foundation
internal import Glibc
internal import Testing

@testable internal import WhereaboutsLocationDaemon

/// Tests for the files that a removed app left in shared folders.
@Suite(.enabled(if: geteuid() == 0, "skipped: only root gives files to others")) struct LeftFilesTests {
    private static let user: uid_t = 74_001
    private let scratch: Scratch
    private var folder: String { self.scratch.path + "/tmp" }

    init() throws {
        self.scratch = try Scratch()
        try self.make("tmp", directory: true, of: 0)
    }

    private func make(_ name: String, directory: Bool = false, of user: uid_t = Self.user) throws {
        let path = self.scratch.path + "/" + name
        if directory {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        } else {
            try Data("x".utf8).write(to: URL(filePath: path))
        }
        #expect(unsafe lchown(path, user, user) == 0)
    }

    private func names(_ name: String = "tmp") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.scratch.path + "/" + name).sorted()
    }

    @Test func itsFilesGoAndNobodyElses() throws {
        for name in ["tmp/file", "tmp/.hidden"] { try self.make(name) }
        try self.make("tmp/other", of: 74_002)
        for name in ["tmp/own", "tmp/own/deeper"] { try self.make(name, directory: true) }
        try self.make("tmp/own/deeper/file")
        try self.make("tmp/others", directory: true, of: 74_002)
        try self.make("tmp/others/file")
        // Like root's folders for sockets in /tmp.
        try self.make("tmp/shared", directory: true, of: 0)
        #expect(unsafe chmod(self.folder + "/shared", 0o1777) == 0)
        try self.make("tmp/shared/file")
        #expect(LeftFiles.remove(of: Self.user, in: [self.folder, "/nonexistent"]))
        #expect(try self.names() == ["other", "others", "shared"])
        #expect(try self.names("tmp/shared") == [])
        // Another user's directory is not entered, even if the app owns a file in it.
        #expect(try self.names("tmp/others") == ["file"])
    }

    /// Goal: a link is removed but its target stays, even if the app owns the target.
    @Test func aLinkLeadsNowhere() throws {
        try self.make("precious", directory: true)
        try self.make("precious/file")
        for (name, target) in [("directory", "../precious"), ("file", "../precious/file"), ("nothing", "nothing")] {
            let link = "\(self.folder)/\(name)"
            #expect(unsafe symlink(target, link) == 0 && lchown(link, Self.user, Self.user) == 0)
        }
        #expect(LeftFiles.remove(of: Self.user, in: [self.folder]))
        #expect(try self.names() == [])
        #expect(try self.names("precious") == ["file"])
        // A shared folder that is itself a link is skipped.
        #expect(unsafe symlink("precious", self.scratch.path + "/link") == 0)
        #expect(LeftFiles.remove(of: Self.user, in: [self.scratch.path + "/link"]))
        #expect(try self.names("precious") == ["file"])
    }

    /// Goal: a file name that is not valid text hides no files.
    @Test func aNameOfAnyBytesGoes() throws {
        let name = self.folder.utf8CString.dropLast() + [CChar(UInt8(ascii: "/")), -1, -64, 0]
        let file = unsafe open(Array(name), O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0 && fchown(file, Self.user, Self.user) == 0)
        close(file)
        #expect(LeftFiles.remove(of: Self.user, in: [self.folder]))
        #expect(try self.names() == [])
    }

    /// Goal: an app that left too many files, or files by other users, is reported as not completely removed.
    @Test func theRestIsSaid() throws {
        try self.make("tmp/own", directory: true)
        try self.make("tmp/own/others", of: 74_002)
        #expect(!LeftFiles.remove(of: Self.user, in: [self.folder]))
        #expect(try self.names("tmp/own") == ["others"])
        #expect(!LeftFiles.remove(of: Self.user, in: [self.folder], room: 1))
        var path = "tmp/deep"
        for _ in 0...LeftFiles.depthMax + 1 {
            try self.make(path, directory: true)
            path += "/d"
        }
        #expect(!LeftFiles.remove(of: Self.user, in: [self.folder]))
        #expect(try self.names() == ["deep", "own"])
    }
}
