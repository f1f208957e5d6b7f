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
        let spool = try PushSpool(directory: self.scratch.path + "/pushes", seal: .ofTests)
        try spool.save(self.push(2))
        try spool.save(self.push(1))
        let again = try PushSpool(directory: self.scratch.path + "/pushes", seal: .ofTests)
        let loaded = again.kept().pushes.compactMap { again.take($0) }
        for push in loaded { again.survived(push.id) }
        #expect(loaded.map(\.id) == [self.push(1).id, self.push(2).id])
        #expect(loaded.first?.payload == [0x7B, 0x7D])
        #expect(loaded.first?.expiration == WallTime(microseconds: 5))
        spool.forget(self.push(1).id)
        #expect(spool.kept().pushes == [self.push(2).id])
    }

    @Test(arguments: ["{", "", "{\"bundle\": \"com.example.Test\", \"payload\": \"\"}"])
    func aPushThatIsNotWhatWasKeptIsSetAside(_ text: String) throws {
        let spool = try PushSpool(directory: self.scratch.path + "/pushes", seal: .ofTests)
        try spool.save(self.push(1))
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: spool.directory).first)
        try Data(text.utf8).write(to: URL(fileURLWithPath: spool.directory + "/" + name))
        #expect(spool.take(self.push(1).id) == nil)
        #expect(spool.kept().pushes.isEmpty)
    }

    /// locationd ended while it took a push up: the next one takes up the others.
    @Test func aPushAtWhichAnEarlierServiceEndedIsSetAside() throws {
        let spool = try PushSpool(directory: self.scratch.path + "/pushes", seal: .ofTests)
        try spool.save(self.push(1))
        try spool.save(self.push(2))
        #expect(spool.take(self.push(1).id) != nil)
        let next = spool.kept()
        #expect(next.pushes == [self.push(2).id] && next.setAside == 1)
        #expect(spool.kept().setAside == 0)
    }

    @Test func fewFilesAreKeptOfPushesSetAside() throws {
        let spool = try PushSpool(directory: self.scratch.path + "/pushes", seal: .ofTests)
        for number in 0..<UInt64(2 * PushSpool.asideMax) {
            try spool.save(self.push(number))
            _ = spool.take(self.push(number).id)
        }
        _ = spool.kept()
        _ = spool.kept()
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.directory).count == PushSpool.asideMax)
    }

    @Test func theDeviceLogKeepsItsBound() throws {
        let path = self.scratch.path + "/log.jsonl"
        var log = DeviceLog(path: path)
        let text = String(repeating: "x", count: 1000)
        for number in 0..<9000 {
            log.append(DeviceLog.Line(time: Int64(number), bundle: "a", event: "e", text: text))
        }
        let sizes = try [path, path + ".old"].map { path in
            try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        #expect(sizes.allSatisfy { $0 <= DeviceLog.fileBytesMax })
        #expect(log.last(3, bundle: "").map(\.time) == [8997, 8998, 8999])
        #expect(log.last(3, bundle: "b").isEmpty)
    }
}
