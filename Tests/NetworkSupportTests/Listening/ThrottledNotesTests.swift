internal import Logging
internal import Synchronization
internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Tests for log lines that others can cause: a few at once, one more after some time, and the rest is counted.
@Suite struct ThrottledNotesTests {
    /// The lines of a log.
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { self.lines.withLock { $0 } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let more = (event.metadata ?? [:]).map { " \($0.key)=\($0.value)" }.sorted().joined()
            self.lines.lines.withLock { $0.append("\(event.message)\(more)") }
        }
    }

    private final class Clock: Sendable {
        let now = Mutex(EngineInstant(sinceStart: .seconds(1000)))
    }

    @Test func aFloodIsSomeLinesAndACount() {
        let (lines, clock, leftOut) = (Lines(), Clock(), Lines())
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let notes = ThrottledNotes(logger) {
            clock.now.withLock { $0 }
        } leftOut: {
            leftOut.lines.withLock { $0.append("") }
        }
        for _ in 0..<(ThrottledNotes.burst + 5) { notes.write(.warning, "a flood") }
        #expect(lines.all == Array(repeating: "a flood", count: ThrottledNotes.burst) && leftOut.all.count == 5)
        // The log has no reader.
        for _ in 0..<100 { notes.write(.debug, "a detail") }
        #expect(leftOut.all.count == 5)
        clock.now.withLock { $0 = $0.advanced(by: ThrottledNotes.interval) }
        notes.write(.warning, "one more")
        notes.write(.warning, "and another")
        #expect(lines.all.last == "one more left out before=5" && leftOut.all.count == 6)
    }
}
