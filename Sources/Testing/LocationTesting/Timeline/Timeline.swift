internal import WhereaboutsVocabulary

/// A record of all events on a virtual device, in order: actions of people and the world, decisions with their reasons,
/// deliveries.
///
/// Positions that follow one another to the same place are one entry with a count, so that a day stays readable.
public final class Timeline {
    /// The kind of an entry.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A person, the world or the test did something.
        case event
        case decision
        /// An app received something.
        case delivery
        /// An app sent something to the device.
        case request
        /// An app wrote a line to its standard output or error.
        case note
        /// Something is wrong with the test or the app.
        case problem
    }

    /// One thing that happened, or the same thing several times in a row.
    public struct Entry: Sendable, Hashable {
        /// The time since the device's start; of a repeated entry, the first time.
        public var time: Duration
        /// The time of the entry's last repetition.
        public var end: Duration
        /// The subject: a bundle identifier, `person`, `owner`, `device`, `receiver` or `pushes`.
        public var lane: String
        /// The kind of event.
        public var kind: Kind
        /// The event in words, for people.
        public var text: String
        /// The number of times in a row in this lane.
        public var count: Int

        fileprivate static let fix = "is given a position"

        /// Counts one more position, if this entry counts positions; returns whether it does.
        fileprivate mutating func countFix(until now: Int64) -> Bool {
            guard self.kind == .delivery, self.text == Self.fix else { return false }
            self.end = .nanoseconds(now)
            self.count += 1
            return true
        }
    }

    /// The entries, oldest first; beyond ``entriesMax``, the oldest are dropped.
    public private(set) var entries: [Entry] = []
    /// The number of entries that were dropped because there were too many.
    public private(set) var entriesLost = 0
    /// The maximum number of entries.
    public static let entriesMax = 20_000

    /// The newest entry of each lane: its index, with the dropped entries counted.
    private var newest: [String: Int] = [:]
    /// A hash of all entries and positions, to tell two runs apart.
    private var hash = FNV1a()
    private let clock: VirtualClock
    /// The changes of apps' states, for the page.
    private(set) var states: [(time: Duration, lane: String, state: String)] = []
    /// Returns the device's path and the positions that apps received, for the page.
    var draw: () -> (truth: Picture.Line, told: [Picture.Line])? = { nil }

    init(clock: VirtualClock) {
        self.clock = clock
    }

    /// A number that is equal for two runs with the same events and positions at the same times.
    public var fingerprint: String { String(self.hash.value, radix: 16) }

    func add(_ kind: Kind, _ lane: String, _ text: @autoclosure () -> String) {
        let text = text()
        self.hash.add(UInt64(bitPattern: self.clock.now))
        self.hash.add(text.utf8)
        self.append(kind, lane, text)
    }

    /// Adds a line that an app printed.
    ///
    /// The line is not part of the fingerprint, because it may contain addresses and random numbers.
    func note(_ lane: String, _ line: String) { self.append(.note, lane, line) }

    private func append(_ kind: Kind, _ lane: String, _ text: String) {
        let now = Duration.nanoseconds(self.clock.now)
        self.newest[lane] = self.entriesLost + self.entries.count
        self.entries.append(Entry(time: now, end: now, lane: lane, kind: kind, text: text, count: 1))
        if self.entries.count > Self.entriesMax {
            // A quarter at once, because removing from the front moves all others.
            self.entries.removeFirst(Self.entriesMax / 4)
            self.entriesLost += Self.entriesMax / 4
        }
    }

    /// Adds a position that an app received; consecutive ones are one entry.
    func addFix(_ lane: String, latitude: Int32, longitude: Int32) {
        let now = self.clock.now
        let place = UInt64(bitPattern: Int64(latitude)) ^ UInt64(bitPattern: Int64(longitude)) << 32
        self.hash.add(UInt64(bitPattern: now))
        self.hash.add(place)
        guard let last = self.newest[lane].map({ $0 - self.entriesLost }), self.entries.indices.contains(last),
            self.entries[last].countFix(until: now)
        else { return self.add(.delivery, lane, Entry.fix) }
    }

    /// Records a new state of an app; an empty state: its process has ended.
    func stands(_ lane: String, _ state: String) {
        self.states.append((.nanoseconds(self.clock.now), lane, state))
        if self.states.count > Self.entriesMax { self.states.removeFirst(Self.entriesMax / 4) }
    }

    var now: Int64 { self.clock.now }

    /// The entries of one lane.
    ///
    /// - Parameter lane: a bundle identifier, `person`, `owner`, `device`, `receiver` or `pushes`.
    /// - Returns: its entries, oldest first.
    public func entries(of lane: String) -> [Entry] { self.entries.filter { $0.lane == lane } }
}

extension Timeline: CustomStringConvertible {
    /// One line an entry.
    public var description: String { self.text(last: self.entries.count) }

    /// The last entries, one line each.
    func text(last: Int) -> String {
        let shown = self.entries.suffix(last)
        let hidden = self.entriesLost + self.entries.count - shown.count
        return ((hidden > 0 ? ["… \(hidden) earlier"] : []) + Self.lines(of: shown)).joined(separator: "\n")
    }

    /// The entries of some lanes, one line each; of all lanes when none is named.
    func story(of lanes: Set<String>) -> String {
        Self.lines(of: lanes.isEmpty ? self.entries : self.entries.filter { lanes.contains($0.lane) })
            .joined(separator: "\n")
    }

    private static func lines(of entries: some Collection<Entry>) -> [String] {
        let width = min(entries.map(\.lane.count).max() ?? 0, 40)
        return entries.map { entry in
            let times = entry.count > 1 ? " (\(entry.count) times until \(Self.clock(entry.end)))" : ""
            let lane = entry.lane + String(repeating: " ", count: max(0, width - entry.lane.count))
            return "\(Self.clock(entry.time))  \(lane)  \(entry.kind.mark) \(entry.text)\(times)"
        }
    }

    /// A time since the start, as `1:02:03.004`.
    static func clock(_ time: Duration) -> String {
        let milliseconds = time.nanoseconds / 1_000_000
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let part = milliseconds % 1000
        let fraction = String(repeating: "0", count: part < 10 ? 2 : part < 100 ? 1 : 0) + "\(part)"
        let seconds = milliseconds / 1000
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(fraction)"
    }
}

extension Timeline.Kind {
    var mark: String {
        switch self {
        case .event: "•"
        case .decision: "="
        case .delivery: "→"
        case .request: "←"
        case .note: "»"
        case .problem: "✗"
        }
    }
}
