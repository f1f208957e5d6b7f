internal import Foundation
internal import LocationEngine
internal import Testing
internal import Vocabulary

@testable internal import LocationDaemon

@Suite struct StorageTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    private func push(_ number: UInt64) -> Push {
        Push(
            id: PushID(high: number, low: .max),
            bundle: BundleID("com.example.Test"),
            payload: [0x7B, 0x7D],
            expiration: WallTime(microseconds: 5),
            received: EngineInstant(sinceStart: .zero)
        )
    }

    @Test func pushesLieOnDiskUntilTheyAreForgotten() throws {
        let spool = try PushSpool(directory: self.scratch.path + "/pushes")
        try spool.save(self.push(2))
        try spool.save(self.push(1))
        let loaded = try PushSpool(directory: self.scratch.path + "/pushes").load()
        #expect(loaded.map(\.id) == [self.push(1).id, self.push(2).id])
        #expect(loaded.first?.payload == [0x7B, 0x7D])
        #expect(loaded.first?.expiration == WallTime(microseconds: 5))
        spool.forget(self.push(1).id)
        #expect(spool.load().map(\.id) == [self.push(2).id])
    }

    @Test func aPushThatWasWrittenInPartIsDropped() throws {
        let spool = try PushSpool(directory: self.scratch.path + "/pushes")
        try spool.save(self.push(1))
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: spool.directory).first)
        try Data("{".utf8).write(to: URL(fileURLWithPath: spool.directory + "/" + name))
        #expect(spool.load().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.directory).isEmpty)
    }

    @Test func aDirectoryBelongsToOneDaemonAtATime() throws {
        var first: DirectoryLock? = try DirectoryLock(directory: self.scratch.path)
        let error = try #require(throws: DaemonError.self) { try DirectoryLock(directory: self.scratch.path) }
        #expect(error.description.contains(self.scratch.path))
        withExtendedLifetime(first) {}
        first = nil
        _ = try DirectoryLock(directory: self.scratch.path)
    }

    @Test func theDeviceLogKeepsItsBound() throws {
        let path = self.scratch.path + "/log.jsonl"
        var log = DeviceLog(path: path)
        let text = String(repeating: "x", count: 1000)
        for number in 0..<2500 {
            log.append(DeviceLog.Line(time: Int64(number), bundle: "a", event: "e", text: text))
        }
        let sizes = try [path, path + ".old"].map { path in
            try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        #expect(sizes.allSatisfy { $0 <= DeviceLog.fileBytesMax })
        #expect(log.last(3, bundle: "").map(\.time) == [2497, 2498, 2499])
        #expect(log.last(3, bundle: "b").isEmpty)
    }
}
