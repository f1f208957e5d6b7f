/// A point of virtual time, in microseconds since the run began; every node's clocks are derived from it.
package struct Instant: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The beginning of every run, by wall clocks that are right: 2027-01-15 08:00:00 UTC.
    static let epochMicroseconds: Int64 = 1_800_000_000_000_000

    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    static let start = Instant(microseconds: 0)

    func advanced(by duration: Duration) -> Instant {
        Instant(microseconds: self.microseconds + duration.microseconds)
    }

    func duration(to other: Instant) -> Duration { .microseconds(other.microseconds - self.microseconds) }

    package static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.microseconds < rhs.microseconds }

    package var description: String {
        let seconds = self.microseconds / 1_000_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let fraction = String(self.microseconds % 1_000_000 + 1_000_000).dropFirst()
        return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(fraction)"
    }
}

extension Duration {
    var microseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
