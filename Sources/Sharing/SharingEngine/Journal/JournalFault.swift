/// The first fault of a journal.
public enum JournalFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line was changed or replaced: it cannot be opened, or its signature is invalid.
    case unreadable(line: UInt64)
    /// The lines with these numbers are missing.
    case missing(first: UInt64, last: UInt64)
    /// The line does not follow the previous line: one of the two was replaced or moved.
    case unconnected(line: UInt64)
    /// The record of the journal's ends is missing or damaged, so that missing lines at an end would go unnoticed.
    case endsUnknown

    /// The fault as a sentence for a person.
    public var description: String {
        switch self {
        case .unreadable(let line): "line \(line) was changed: it cannot be decrypted, or its signature is invalid"
        case .missing(let first, let last) where first == last: "line \(first) is missing"
        case .missing(let first, let last): "lines \(first) to \(last) are missing"
        case .unconnected(let line):
            "line \(line) does not follow the line before it: one of the two was exchanged or moved"
        case .endsUnknown:
            "the record of the first and the last line is missing, so lines at the start or the end may be missing, too"
        }
    }
}
