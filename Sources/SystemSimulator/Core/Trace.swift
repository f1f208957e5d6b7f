internal import DequeModule

/// All that happened in one run: a hash of it, and on demand the last lines of it for people.
///
/// Equal scenarios have equal traces, in whatever process they run; so the hash must never be fed what differs between
/// two processes, such as the order of a `Set`.
package struct Trace: Sendable {
    /// How many lines are kept.
    static let linesMax = 400

    /// FNV-1a over all that was added, 64 bits.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// How much was added.
    package private(set) var count = 0
    private var kept: Deque<String> = []
    private let keepsLines: Bool

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// The last lines, oldest first; empty unless they are kept.
    package var lines: [String] { Array(self.kept) }

    /// Adds one thing that happened.
    mutating func add(_ instant: Instant, _ node: NodeID, _ event: StaticString, _ numbers: UInt64...) {
        self.count += 1
        self.mix(UInt64(bitPattern: instant.microseconds))
        self.mix(node.number)
        event.withUTF8Buffer { unsafe $0.forEach { self.mix(byte: $0) } }
        for number in numbers { self.mix(number) }
        guard self.keepsLines else { return }
        if self.kept.count == Self.linesMax { self.kept.removeFirst() }
        let details = numbers.map { " \($0)" }.joined()
        self.kept.append("\(instant) \(node): \(event)\(details)")
    }

    private mutating func mix(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            self.mix(byte: UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func mix(byte: UInt8) {
        self.hash = (self.hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
