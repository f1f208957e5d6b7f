internal import Foundation
internal import Glibc
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsDurableStorage

/// Goal: a file is written completely or not at all, and every system error is reported.
@Suite final class DurableFileTests {
    private let directory: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        self.directory = place.path
    }

    deinit { try? FileManager.default.removeItem(atPath: self.directory) }

    private var path: String { self.directory + "/file" }

    private func file(_ writers: DurableFile.Writers, _ calls: SystemCalls = SystemCalls()) -> DurableFile {
        DurableFile(self.path, writers: writers, calls: calls)
    }

    private func content() -> [UInt8]? { FileManager.default.contents(atPath: self.path).map { [UInt8]($0) } }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: self.directory) }

    /// Fails `fsync` at its `number`-th call, from 1, with EIO.
    private static func failing(fsync number: Int) -> SystemCalls {
        let count = Counter()
        return SystemCalls(synchronize: { file in
            guard count.next() == number else { return fsync(file) }
            errno = EIO
            return -1
        })
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        func next() -> Int {
            self.value.withLock {
                $0 += 1
                return $0
            }
        }
        var count: Int { self.value.withLock { $0 } }
    }

    @Test(arguments: [DurableFile.Writers.one, .many], [DurableFile.Durability.process, .power])
    func aFileIsReplacedWhole(_ writers: DurableFile.Writers, _ durability: DurableFile.Durability) throws {
        try self.file(writers).replace([1, 2, 3], durability)
        try self.file(writers).replace([4], durability)
        #expect(self.content() == [4])
        #expect(try self.names() == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: self.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aFileIsCreatedOnce() throws {
        #expect(try self.file(.many).create([1]))
        #expect(try !self.file(.many).create([2]))
        #expect(self.content() == [1])
        #expect(try self.names() == ["file"])
    }

    @Test func aDraftThatACrashLeftIsNoHindrance() throws {
        try Data([9, 9, 9]).write(to: URL(filePath: self.path + ".new"))
        try self.file(.one).replace([1], .process)
        #expect(self.content() == [1])
    }

    @Test func shortWritesAndSignalsAreGoneOnAfter() throws {
        let count = Counter()
        let calls = SystemCalls(writeSome: { file, bytes in
            guard count.next() % 2 == 0 else {
                errno = EINTR
                return -1
            }
            return SystemCalls().writeSome(file, bytes.prefix(1))
        })
        try self.file(.one, calls).replace([1, 2, 3], .power)
        #expect(self.content() == [1, 2, 3])
        #expect(count.count == 6)
    }

    @Test func aFullDiskIsTold() throws {
        try self.file(.one).replace([1], .power)
        let calls = SystemCalls(writeSome: { _, _ in
            errno = ENOSPC
            return -1
        })
        #expect(throws: DurableFileError(.write, self.path + ".new", errno: ENOSPC)) {
            try self.file(.one, calls).replace([2], .power)
        }
        #expect(self.content() == [1])
        #expect(try self.names() == ["file"])
    }

    /// Goal: an attacker who can create links in the directory cannot make the program write, create, read or lock
    /// another file.
    @Test func noLinkIsFollowed() throws {
        let other = self.directory + "/other"
        for name in [self.path, self.path + ".new"] {
            try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
        }
        #expect(throws: DurableFileError(.create, self.path + ".new", errno: ELOOP)) {
            try self.file(.one).replace([2], .process)
        }
        #expect(throws: DurableFileError(.create, self.path, errno: ELOOP)) {
            try self.file(.one).append([2], at: 0, .process)
        }
        #expect(throws: DurableFileError(.read, self.path, errno: ELOOP)) {
            _ = try self.file(.one).read(at: 0, count: 1)
        }
        #expect(throws: DurableFileError(.open, self.path, errno: ELOOP)) { _ = try ExclusiveLock(self.path) }
        #expect(FileManager.default.contents(atPath: other) == nil)
    }

    @Test func aDiskThatTakesNothingIsFull() throws {
        let calls = SystemCalls(writeSome: { _, _ in 0 })
        #expect(throws: DurableFileError(.write, self.path + ".new", errno: ENOSPC)) {
            try self.file(.one, calls).replace([2], .power)
        }
    }

    @Test func aFileThatDoesNotReachTheDiskLeavesTheOldOne() throws {
        try self.file(.one).replace([1], .power)
        #expect(throws: DurableFileError(.synchronize, self.path + ".new", errno: EIO)) {
            try self.file(.one, Self.failing(fsync: 1)).replace([2], .power)
        }
        #expect(self.content() == [1])
        #expect(try self.names() == ["file"])
    }

    @Test func aDirectoryThatDoesNotReachTheDiskIsTold() throws {
        #expect(throws: DurableFileError(.synchronize, self.directory, errno: EIO)) {
            try self.file(.one, Self.failing(fsync: 2)).replace([2], .power)
        }
        #expect(throws: DurableFileError(.synchronize, self.directory, errno: EIO)) {
            _ = try DurableFile(self.path + "2", writers: .many, calls: Self.failing(fsync: 2)).create([2])
        }
    }

    @Test func onlyPowerAsksForTheDisk() throws {
        let count = Counter()
        let calls = SystemCalls(synchronize: { file in
            _ = count.next()
            return fsync(file)
        })
        try self.file(.one, calls).replace([1], .process)
        #expect(count.count == 0)
        try self.file(.one, calls).replace([1], .power)
        #expect(count.count == 2)
    }

    @Test func aMissingDirectoryIsTold() throws {
        let file = DurableFile(self.directory + "/none/file", writers: .one)
        #expect(throws: DurableFileError(.create, self.directory + "/none/file.new", errno: ENOENT)) {
            try file.replace([1], .power)
        }
    }

    @Test func aDirectoryInTheWayIsTold() throws {
        try FileManager.default.createDirectory(atPath: self.path + "/in", withIntermediateDirectories: true)
        #expect(throws: DurableFileError.self) { try self.file(.many).replace([1], .power) }
        #expect(try self.names() == ["file"])
    }

    @Test func anErrorNamesStepPathAndReason() {
        let error = DurableFileError(.synchronize, "/a/b", errno: EIO)
        #expect("\(error)" == "cannot synchronize /a/b: Input/output error")
    }
}
