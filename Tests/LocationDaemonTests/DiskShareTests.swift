internal import Foundation
internal import Glibc
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import WhereaboutsLocationDaemon

/// Tests for choosing the app that is ended when the disk is full.
@Suite struct DiskShareTests {
    private static func culprit(free: Int, _ held: [String: Int]) -> String? {
        let disk = DiskShare.Disk(
            free: DiskUse(bytes: free, files: 1 << 20),
            size: DiskUse(bytes: 1 << 30, files: 1 << 20)
        )
        let apps = Dictionary(uniqueKeysWithValues: held.map { (BundleID($0.key), DiskUse(bytes: $0.value)) })
        #expect(disk.isFull == (free < Diagnosis.bytesFreeMin))
        return DiskShare.culprit(on: disk, held: apps)?.rawValue
    }

    /// Goal: an app is ended only if the disk is full and the app uses more than a quarter of it.
    @Test func theLargestAppGivesWayOnAFullDisk() {
        let quarter = 1 << 28
        #expect(Self.culprit(free: 0, ["a": quarter + 1, "b": quarter + 2]) == "b")
        #expect(Self.culprit(free: (64 << 20) - 1, ["a": quarter + 1]) == "a")
        #expect(Self.culprit(free: 64 << 20, ["a": quarter + 1]) == nil)
        #expect(Self.culprit(free: 0, ["a": quarter, "b": 1]) == nil)
        #expect(Self.culprit(free: 0, [:]) == nil)
    }

    /// Goal: an app that created most of the possible files is ended, even if they are empty.
    @Test func theAppWithTheMostFilesGivesWay() {
        func culprit(free: Int, size: Int, _ held: [String: Int]) -> String? {
            let disk = DiskShare.Disk(
                free: DiskUse(bytes: 1 << 30, files: free),
                size: DiskUse(bytes: 1 << 32, files: size)
            )
            let apps = Dictionary(uniqueKeysWithValues: held.map { (BundleID($0.key), DiskUse(files: $0.value)) })
            return DiskShare.culprit(on: disk, held: apps)?.rawValue
        }
        #expect(culprit(free: 1023, size: 40_000, ["a": 10_001, "b": 10_002]) == "b")
        #expect(culprit(free: 1024, size: 40_000, ["a": 10_001]) == nil)
        #expect(culprit(free: 0, size: 40_000, ["a": 10_000]) == nil)
        // A file system without a limit for files reports zero.
        #expect(culprit(free: 0, size: 0, ["a": 10_001]) == nil)
    }

    /// Goal: the size of an app includes nested folders, however deep they are.
    @Test func whatAnAppHoldsIsCounted() throws {
        let scratch = try Scratch()
        func held() -> DiskUse { DiskUse(container: scratch.path, user: nil, on: 0) }
        try FileManager.default.createDirectory(atPath: scratch.path + "/c/d", withIntermediateDirectories: true)
        try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: scratch.path + "/c/d/file"))
        #expect((1 << 20...(1 << 20) + (1 << 16)).contains(held().bytes))
        #expect(held().files == 3)
        let deep = scratch.path + "/c" + String(repeating: "/d", count: HeldDirectory.depthMax + 1)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        #expect(held().bytes >= 1 << 40)
        #expect(DiskUse(bytes: .max, files: 1) + DiskUse(bytes: 1, files: 1) == DiskUse(bytes: .max, files: 2))
    }

    /// Goal: the size of an app includes its user's files in shared folders, and deleted files that are still open.
    @Test(
        .offPool,
        .timeLimit(.minutes(1)),
        .enabled(if: geteuid() == 0 && Binaries.system("setpriv") != nil, "skipped: needs root and setpriv")
    )
    func whatAnAppHoldsElsewhereIsCounted() throws {
        let scratch = try Scratch()
        let user: uid_t = 74_301
        let shared = "/tmp/locationd-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: shared) }
        // Like root's folders for sockets in /tmp.
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: shared)
        let disk = try #require(DiskShare.Disk(of: "/tmp"))
        func held() -> DiskUse { DiskUse(container: scratch.path, user: user, on: disk.fileSystem) }
        #expect(held() == DiskUse())
        // A megabyte in a file, and two in a deleted one.
        let script = """
            umask 077; mkdir \(shared)/own; head -c 1048576 /dev/urandom >\(shared)/own/file
            exec 5>\(shared)/open; rm \(shared)/open; head -c 2097152 /dev/urandom >&5; echo ready; exec sleep 600
            """
        let app = try Child(
            "app",
            Binaries.system("setpriv") ?? "",
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/bin/sh", "-c", script],
            log: scratch.path + "/log"
        )
        _ = try app.waitForLine(within: 30) { $0 == "ready" }
        // The log of the test's child process is in the container.
        let both = held()
        #expect((3 << 20...(3 << 20) + (1 << 16)).contains(both.bytes), "\(both)")
        app.kill()
        let rest = held()
        #expect((1 << 20...(1 << 20) + (1 << 16)).contains(rest.bytes), "\(rest)")
        #expect(rest.files == both.files - 1)
    }
}
