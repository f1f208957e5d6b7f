/// A line of a sharer's journal, which follows the line before it and no other.
public struct JournalLine: Sendable, Hashable {
    /// How many bytes a line's hash has.
    package static let hashByteCount = 32

    /// The number of the line, from 1.
    public let number: UInt64
    /// The hash of the line before it as it lies on disk; zeros for the first.
    public let previous: [UInt8]
    /// The sharer, who signs it.
    public let sharer: PublicIdentity
    /// The fact.
    public let entry: JournalEntry

    /// Creates a line.
    public init(number: UInt64, previous: [UInt8], sharer: PublicIdentity, entry: JournalEntry) {
        self.number = number
        self.previous = previous
        self.sharer = sharer
        self.entry = entry
    }
}
