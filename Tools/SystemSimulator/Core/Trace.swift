internal import DequeModule
internal import WhereaboutsVocabulary

/// The hash of all events of a run, and on demand the last events as lines for people.
///
/// Equal scenarios have equal traces, in whatever process they run; so the hash must not contain anything that differs between
/// two processes, such as the order of a `Set`.
package struct Trace: Sendable {
    /// The maximum number of lines that are kept.
    static let linesMax = 400

    /// FNV-1a over all that was added, 64 bits.
    package var hash: UInt64 { self.mixed.value }
    private var mixed = FNV1a()
    /// The number of events that were added.
    package private(set) var count = 0
    private var kept: Deque<String> = []
    private let keepsLines: Bool

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// The last lines, oldest first; empty unless they are kept.
    package var lines: [String] { Array(self.kept) }

    /// Adds one event.
    mutating func add(_ instant: Instant, _ node: NodeID, _ event: StaticString, _ numbers: UInt64...) {
        self.count += 1
        self.mixed.add(UInt64(bitPattern: instant.microseconds))
        self.mixed.add(node.number)
        event.withUTF8Buffer { unsafe self.mixed.add($0) }
        for number in numbers { self.mixed.add(number) }
        guard self.keepsLines else { return }
        if self.kept.count == Self.linesMax { self.kept.removeFirst() }
        let details = numbers.map { " \($0)" }.joined()
        self.kept.append("\(instant) \(node): \(event)\(details)")
    }
}
