internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

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

    /// Goal: a storage error names the path and the remedy.
    @Test func whatCannotBeMadeOrReadIsSaidInWords() throws {
        let file = self.scratch.path + "/file"
        try Data("x".utf8).write(to: URL(filePath: file))
        for path in ["/dev/full/state", file, file + "/state/deeper"] {
            let error = #expect(throws: DaemonError.self) {
                try StateFile.makeDirectory(path, orElse: "name another one with --state")
            }
            let words = error?.description ?? ""
            #expect(words.contains("not a directory; name another one with --state"), "\(words)")
        }
        let system = #expect(throws: DaemonError.self) { try StateFile.makeDirectory("/proc/none/state") }
        #expect(system?.description.hasPrefix("cannot create the directory /proc/none/state: /proc/none: ") == true)
        let directory = #expect(throws: DaemonError.self) { try StateFile.read(self.scratch.path) }
        #expect(directory?.description.contains("is a directory, not a file") == true)
        #expect(try StateFile.read(file + ".absent") == nil)
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

    /// locationd ended while it loaded a push; the next one loads the others.
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

    /// Goal: a person whose app stopped sharing can read what to do.
    @Test func theDeviceLogSaysHowToShareAgain() {
        let time = WallTime(milliseconds: 0)
        let lines = [1, 2].map { DeviceLog.Line(.sessionsDropped(BundleID("a"), count: $0), time: time).text }
        #expect(lines[0].contains("a session") && lines[1].contains("2 sessions"))
        #expect(lines.allSatisfy { $0.hasSuffix("Open it once to share again.") })
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

    private func line(_ number: Int) -> DeviceLog.Line {
        DeviceLog.Line(time: Int64(number), bundle: "a", event: "e", text: "x")
    }

    /// Goal: a log that cannot be written is reported, loses no lines within its limit, and is written later.
    @Test func linesWaitForADiskThatTakesNone() throws {
        let path = self.scratch.path + "/log.jsonl"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var log = DeviceLog(path: path)
        #expect(log.fault?.contains(path) == true)
        for number in 0...DeviceLog.waitingMax { log.append(self.line(number)) }
        #expect(log.fault?.hasSuffix("; \(DeviceLog.waitingMax) lines wait for it, 1 were lost") == true)
        #expect(log.last(2, bundle: "").map(\.time) == [999, 1000])
        try FileManager.default.removeItem(atPath: path)
        log.append(self.line(1001))
        #expect(log.fault == nil)
        #expect(DeviceLog(path: path).last(.max, bundle: "").map(\.time) == (2...1001).map(Int64.init))
    }

    /// Goal: a log path that is not a regular file gets no lines, even if it accepts bytes.
    @Test func onlyAFileIsALog() {
        var log = DeviceLog(path: "/dev/null")
        log.append(self.line(1))
        #expect(log.fault?.contains("is not a regular file") == true)
    }

    /// Goal: a log that a person deletes is created again, and new lines are not written to the deleted file.
    @Test func aLogThatIsRemovedBeginsAnew() throws {
        let path = self.scratch.path + "/log.jsonl"
        var log = DeviceLog(path: path)
        log.append(self.line(1))
        try FileManager.default.removeItem(atPath: path)
        log.append(self.line(2))
        #expect(log.fault == nil && log.last(2, bundle: "").map(\.time) == [2])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    /// Goal: an incomplete line, at which locationd was killed, does not damage the next line.
    @Test func halfALineTakesNoneAlong() throws {
        let path = self.scratch.path + "/log.jsonl"
        var log = DeviceLog(path: path)
        log.append(self.line(1))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"time\": 2, ".utf8))
        var next = DeviceLog(path: path)
        next.append(self.line(3))
        #expect(next.last(3, bundle: "").map(\.time) == [1, 3])
    }
}
