internal import Foundation
public import Testing

/// Timelines that tests store: the whole behaviour of an app in one place, where every change shows.
extension VirtualDevice {
    /// Compares what happened with the expected lines; differences are reported as a problem of the test.
    ///
    /// ```swift
    /// device.expectTimeline(
    ///     """
    ///     0:00:00.000  com.example.Workout  • is opened by the person
    ///     …
    ///     """,
    ///     of: ["com.example.Workout"]
    /// )
    /// ```
    /// - Parameters:
    ///   - expected: the lines of the timeline, as its description has them.
    ///   - lanes: the lanes to compare; empty: all.
    ///   - sourceLocation: the test's line, where a difference is shown.
    /// - Returns: whether it happened so.
    @discardableResult
    public func expectTimeline(
        _ expected: String,
        of lanes: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Bool {
        guard self.hasLanes(lanes, at: sourceLocation) else { return false }
        guard let difference = LineDifference(self.timeline.story(of: lanes), from: expected) else { return true }
        self.differs(difference.words, at: sourceLocation)
        return false
    }

    /// Compares what happened with a file next to the test, `Timelines/NAME.timeline`; differences are reported as a
    /// problem of the test.
    ///
    /// If the file does not exist, it is written, and the test fails this once. With `WHEREABOUTS_RECORD_TIMELINES=1` in the
    /// environment all are written again; `git diff` then shows the changes.
    ///
    /// - Parameters:
    ///   - name: the name of the file, without its ending.
    ///   - lanes: the lanes to compare; empty: all.
    ///   - sourceLocation: the test's line, where a difference is shown; the file is beside it.
    /// - Returns: whether it happened so.
    @discardableResult
    public func expectTimeline(
        named name: String,
        of lanes: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Bool {
        guard self.hasLanes(lanes, at: sourceLocation) else { return false }
        let kept = KeptTimeline(name, beside: sourceLocation.filePath)
        let records = ProcessInfo.processInfo.environment[KeptTimeline.variable] == "1"
        switch kept.compare(with: self.timeline.story(of: lanes), records: records) {
        case .same: return true
        case .different(let words):
            self.differs(
                "\(words)\n(\(KeptTimeline.variable)=1 writes \(kept.file.lastPathComponent) again)",
                at: sourceLocation
            )
        case .recorded where records: return true
        case .recorded:
            Reporter.report("\(kept.file.path) was written; look at it, and run the test again", at: sourceLocation)
        case .unreadable(let reason):
            Reporter.report("\(kept.file.path) cannot be read or written: \(reason)", at: sourceLocation)
        }
        return false
    }

    /// Whether each lane has an entry; a misspelt name would always match an empty story.
    private func hasLanes(_ lanes: Set<String>, at line: SourceLocation) -> Bool {
        let all = Set(self.timeline.entries.map(\.lane))
        let missing = lanes.subtracting(all).sorted()
        guard !missing.isEmpty else { return true }
        let (names, others) = (missing.joined(separator: ", "), all.sorted().joined(separator: ", "))
        Reporter.report("nothing happened to \(names); the timeline is about \(others)", at: line)
        return false
    }

    private func differs(_ words: String, at line: SourceLocation) {
        Reporter.report("the timeline is not as expected (- expected, + happened):\n\(words)", at: line)
    }
}
