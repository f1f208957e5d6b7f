public import Testing

/// The result of running a test's body on many devices.
public struct Exploration: Sendable {
    /// A failure, with the smallest story that shows it.
    public struct Failure: Sendable {
        /// The seed that failed first; nil: a given story failed.
        public internal(set) var seed: UInt64?
        /// The smallest story that fails in the same way.
        public internal(set) var story: Story
        /// The number of events before the story was made smaller.
        public internal(set) var eventsDrawn: Int
        /// The failure's name: `the rule .completedTwice`, or a line of the test.
        public internal(set) var identity: String
        /// The messages of all failures of this kind in the smallest story.
        public internal(set) var messages: [String]
        /// The number of stories that were tried to find the smallest.
        public internal(set) var runsToShrink = 0
        /// The first differences between two runs of the same story; nil: there were none.
        ///
        /// A story whose runs differ is not made smaller: the code depends on something that the device does not control.
        public internal(set) var difference: String?
        /// The awaits of apps at which the events of the smallest story struck.
        ///
        /// A line is such as `0:00:03.000  .terminate("com.example.App") struck com.example.App at requestLocation(), 2nd call`.
        public internal(set) var awaits: [String] = []
        /// The timeline of the smallest story.
        public internal(set) var timeline: String
        /// The line of the test that failed; nil: a rule was broken.
        public internal(set) var location: SourceLocation?
    }

    /// The number of seeds, or of awaits, that were run.
    public internal(set) var seeds = 0
    /// The number of awaits of the app in the whole run; nil: the app was not ended at its awaits.
    public internal(set) var awaits: Int?
    /// The first failure; nil: there was none.
    public internal(set) var failure: Failure?
    /// The troubles and rules that the stories reached.
    public internal(set) var coverage: StoryCoverage
    /// Whether the budget of time ended before all seeds, or all awaits, were run.
    public internal(set) var ranOutOfTime = false
    /// Whether all seeds, or all awaits, were run.
    var isWhole = false
    /// Whether a run created a device.
    var hasDevice = false

    /// Counts a run.
    mutating func add(_ trial: Trial) {
        self.coverage.add(trial.story, trial.reachedRules, trial.struck)
        self.hasDevice = self.hasDevice || trial.hasDevice
    }
}

extension Exploration.Failure {
    /// The failure, and a test to paste.
    ///
    /// - Parameter test: the name of the test's function, such as `sharing()`.
    /// - Returns: the text for people.
    public func report(of test: String) -> String {
        let name = test.prefix { $0 != "(" }
        return self.report(
            "@Test(.anyDevice(replaying: \(self.story.literal)))\n"
                + "func \(name)Seed\(self.story.seed)() async throws { try await \(name)() }"
        )
    }

    /// The failure, and a test to paste into a class of XCTest.
    ///
    /// - Parameter test: the name of the test's method, such as `testSharing()`.
    /// - Returns: the text for people.
    func reportForXCTest(of test: String) -> String {
        self.report(
            "func \(test.prefix { $0 != "(" })Seed\(self.story.seed)() async {\n"
                + "let failure = await AnyDevice(seeds: 1).replay(\(self.story.literal)) { device in … }\n"
                + "XCTAssertNil(failure?.messages)\n}"
        )
    }

    private func report(_ code: String) -> String {
        var parts = [self.messages.joined(separator: "\n")]
        if let difference {
            parts.append(
                "Two runs of this story differ, so it was not made smaller. The code depends on something that the device does not "
                    + "control, such as UUID() or a thread; pass it in. The first run has -, the second +:\n\(difference)"
            )
        } else {
            parts.append(
                "\(self.seed.map { "Seed \($0)" } ?? "The story") fails by \(self.identity). \(self.story.events.count) of "
                    + "\(self.eventsDrawn) events are enough (\(self.runsToShrink) runs). This test repeats it:"
            )
        }
        parts.append(code)
        if !self.awaits.isEmpty { parts.append("Awaits:\n" + self.awaits.joined(separator: "\n")) }
        let lines = self.timeline.split(separator: "\n")
        parts.append("Timeline:\n" + lines.suffix(40).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }
}
