/// The first place at which a journal is not as the device wrote it.
public enum JournalFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line was changed, or is another's: it does not open, or its signature does not hold.
    case unreadable(line: UInt64)
    /// The lines of these numbers are gone.
    case missing(first: UInt64, last: UInt64)
    /// The line does not follow the one before it: one of the two was exchanged.
    case unconnected(line: UInt64)
    /// The record of the journal's ends is gone or damaged: lines that are missing at an end would not be noticed.
    case endsUnknown

    /// The fault as a sentence for a person.
    public var description: String {
        switch self {
        case .unreadable(let line): "line \(line) was changed: it does not open, or its signature does not hold"
        case .missing(let first, let last) where first == last: "line \(first) is gone"
        case .missing(let first, let last): "lines \(first) to \(last) are gone"
        case .unconnected(let line): "line \(line) does not follow the line before it: one of the two was exchanged"
        case .endsUnknown: "the record of the first and the last line is gone, so that lines at the ends may be, too"
        }
    }
}
