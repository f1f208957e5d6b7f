internal import Foundation
internal import Testing

@testable internal import WhereaboutsLocationSources

/// Goal: the logs in `Tests/Logs` decode as before, and as gpsd decodes them.
///
/// Each log has gpsd's recorded answers and the events that our decoders make of both. `make golden` writes the logs
/// and events again. A commit that changes them explains why.
@Suite struct GoldenLogTests {
    private static let isRewriting = ProcessInfo.processInfo.environment["WHEREABOUTS_GOLDEN"] != nil
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Logs")

    /// Compares with a file, or writes it.
    private static func expect(
        _ content: Data,
        in file: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let url = Self.directory.appending(path: file)
        if Self.isRewriting { try content.write(to: url) }
        let kept = try Data(contentsOf: url)
        #expect(
            content == kept,
            "Tests/Logs/\(file) says something else; if it is wrong, run make golden and commit the difference",
            sourceLocation: sourceLocation
        )
    }

    private static func answers(_ log: ReceiverLog) throws -> Data {
        try Data(contentsOf: Self.directory.appending(path: "\(log).gpsd"))
    }

    private static func events(_ log: ReceiverLog, learnsCycle: Bool = false) -> [NMEADecoder.Event] {
        var decoder = NMEADecoder(learnsCycle: learnsCycle)
        return decoder.feed(log.file) + decoder.flush()
    }

    private static func fixes(_ events: [NMEADecoder.Event]) -> [SourceFix] {
        events.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
    }

    @Test(arguments: ReceiverLog.all) func theLogIsTheOneThatIsMade(_ log: ReceiverLog) throws {
        try Self.expect(log.file, in: "\(log).nmea")
    }

    @Test(arguments: ReceiverLog.all) func theLogDecodesAsEver(_ log: ReceiverLog) throws {
        var reports = GPSDDecoder()
        let answers = try Self.answers(log).split(separator: UInt8(ascii: "\n")).filter {
            $0.first != UInt8(ascii: "#")
        }
        let text =
            ["# \(log).nmea"] + Self.events(log).map(\.text)
            + ["# \(log).gpsd"] + answers.flatMap { reports.feed($0 + [UInt8(ascii: "\n")]) }.map(\.text)
        try Self.expect(Data((text.joined(separator: "\n") + "\n").utf8), in: "\(log).expected")
    }

    /// Method: our fixes and gpsd's positions must be the same, except for the differences in the log's notes.
    @Test(arguments: ReceiverLog.all) func positionsAreThoseOfGPSD(_ log: ReceiverLog) throws {
        let positions = try GPSDPosition.all(in: Self.answers(log))
        let fixes = Self.fixes(Self.events(log))
        let ours = fixes.filter { fix in !positions.contains { $0.agrees(with: fix) } }
        let theirs = positions.filter { position in !fixes.contains { position.agrees(with: $0) } }
        #expect(
            ours.count == log.unmatched.ours,
            "gpsd lacks \(ours.map { NMEADecoder.Event.measured(.fix($0)).text })"
        )
        #expect(theirs.count == log.unmatched.theirs, "we lack the positions of \(theirs.map(\.time))")
        #expect(!fixes.isEmpty)
    }

    /// Goal: a decoder that does not wait for the next second reports the same fixes earlier.
    @Test(arguments: ReceiverLog.all) func learningTheCycleChangesNoFix(_ log: ReceiverLog) {
        #expect(Self.fixes(Self.events(log, learnsCycle: true)) == Self.fixes(Self.events(log)))
    }

    @Test func everyFileBelongsToALog() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path(percentEncoded: false))
        let due =
            ReceiverLog.all.flatMap { log in ["nmea", "gpsd", "expected"].map { "\(log).\($0)" } } + ["README.md"]
        #expect(files.sorted() == due.sorted())
    }
}

extension NMEADecoder.Event {
    /// The event as a line, numbers with fixed digits.
    fileprivate var text: String {
        switch self {
        case .measured(.fix(let fix)): fix.text
        case .measured(.heading(let heading)): heading.text
        case .noFix: "no fix"
        case .malformed(let error): "malformed: \(error)"
        }
    }
}

extension GPSDDecoder.Event {
    /// The event as a line, numbers with fixed digits.
    fileprivate var text: String {
        switch self {
        case .measured(.fix(let fix)): fix.text
        case .measured(.heading(let heading)): heading.text
        case .noFix: "no fix"
        case .malformed(let error): "malformed: \(error)"
        case .ready(let release): "ready: gpsd \(release)"
        case .watching(let isOn): isOn ? "watching" : "not watching"
        case .devices(let paths): "devices: \(paths.joined(separator: " "))"
        case .deviceFound(let path): "found: \(path)"
        case .deviceLost(let path): "lost: \(path)"
        case .failed(let message): "failed: \(message)"
        }
    }
}

extension SourceFix {
    fileprivate var text: String {
        func field(_ name: String, _ value: Double?, _ digits: Int) -> String {
            value.map { " \(name) " + String(format: "%.\(digits)f", $0) } ?? ""
        }
        return "fix" + field("at", self.time, 3) + field("latitude", self.latitude, 7)
            + field("longitude", self.longitude, 7) + field("±", self.horizontalAccuracy, 2)
            + field("altitude", self.altitude, 2) + field("ellipsoidal", self.ellipsoidalAltitude, 2)
            + field("±", self.verticalAccuracy, 2) + field("course", self.course, 2)
            + field("±", self.courseAccuracy, 2) + field("speed", self.speed, 3) + field("±", self.speedAccuracy, 3)
    }
}

extension SourceHeading {
    /// The heading as a line, numbers with fixed digits.
    fileprivate var text: String {
        func text(_ angle: Double?) -> String { angle.map { String(format: "%.2f", $0) } ?? "unknown" }
        return
            "heading: magnetic \(text(self.magnetic)), true \(text(self.geographic))\(self.isDisturbed ? ", disturbed" : "")"
    }
}
