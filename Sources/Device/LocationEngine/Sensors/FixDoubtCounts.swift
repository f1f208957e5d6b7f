/// How many fixes were refused, for each reason.
public struct FixDoubtCounts: Sendable, Hashable {
    /// Looked up by reason, never iterated.
    private var counts: [FixDoubt: UInt64] = [:]

    /// Creates counts of zero.
    public init() {}

    /// The number of fixes that were not used for a reason.
    public subscript(doubt: FixDoubt) -> UInt64 { self.counts[doubt, default: 0] }

    mutating func count(_ doubt: FixDoubt) { self.counts[doubt, default: 0] += 1 }
}
