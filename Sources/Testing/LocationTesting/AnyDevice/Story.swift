internal import WhereaboutsVocabulary

/// The troubles that happened to a virtual device, each with its time and its app.
///
/// A story lists the troubles that happened, not the skipped ones, and names their apps. So it replays exactly, and removing one event
/// does not change the meaning of the others. ``literal`` is Swift code that can be pasted into a test.
public struct Story: Sendable, Hashable, Codable {
    /// One trouble at one time.
    public struct Event: Sendable, Hashable, Codable {
        /// The time since the device's start.
        public var time: Duration
        /// The trouble.
        public var trouble: Trouble

        /// Creates an event.
        ///
        /// - Parameters:
        ///   - time: the time since the device's start; not negative.
        ///   - trouble: the trouble.
        public init(at time: Duration, _ trouble: Trouble) {
            precondition(time >= .zero, "an event at \(time) is before the device's start; use a time of zero or more")
            self.time = time
            self.trouble = trouble
        }
    }

    /// The seed of the device: the receiver's errors, walks, drives.
    public var seed: UInt64
    /// The indices of the values that `alternative` returned, in the order of the calls.
    public var choices: [Int]
    /// The events, in the order of time.
    public var events: [Event]

    /// Creates a story.
    ///
    /// - Parameters:
    ///   - seed: the seed of the device.
    ///   - choices: the indices of the alternatives to return, in the order of the calls; later calls return the first.
    ///   - events: the events; sorted by time, and those of the same time stay in their order.
    public init(seed: UInt64 = 1, choices: [Int] = [], _ events: [Event] = []) {
        self.seed = seed
        self.choices = choices
        self.events = events.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// The story as Swift code.
    public var literal: String {
        let choices = self.choices.isEmpty ? "" : ", choices: \(self.choices)"
        guard !self.events.isEmpty else { return "Story(seed: \(self.seed)\(choices))" }
        let lines = self.events.map { "    .init(at: \($0.time.literal), \($0.trouble.literal)),\n" }
        return "Story(seed: \(self.seed)\(choices), [\n\(lines.joined())])"
    }
}

extension Story: CustomStringConvertible {
    /// The story as Swift code.
    public var description: String { self.literal }
}

extension Duration {
    /// The duration as Swift code, to the millisecond.
    var literal: String {
        if self == .zero { return ".zero" }
        let milliseconds = self.nanoseconds / 1_000_000
        return milliseconds % 1000 == 0 ? ".seconds(\(milliseconds / 1000))" : ".milliseconds(\(milliseconds))"
    }
}
