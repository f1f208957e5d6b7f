/// A line of a sharer's journal, bound to the previous line by its hash.
public struct JournalLine: Sendable, Hashable {
    /// How many bytes a line's hash has.
    package static let hashByteCount = 32

    /// The number of the line, from 1.
    public let number: UInt64
    /// The hash of the previous line as stored on the disk; zeros for the first line.
    public let previous: [UInt8]
    /// The sharer, who signs the line.
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
