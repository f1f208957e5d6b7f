/// An error in a line of a program: the broken rule, but not the line itself, which may contain a position.
public struct ProgramError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rules.
    public enum Rule: Error, Sendable, Hashable {
        /// A line is longer than this many bytes.
        case lineTooLong(limit: Int)
        /// A line is not a JSON object with the fields of `docs/sources.md`, or a field has the wrong type.
        case notAReport
        case empty
        /// A field is out of its range.
        case outOfRange(field: String)
        /// More than this many measurements came in a second.
        case tooMany(limit: Int)
    }

    /// The rule that was broken.
    public let rule: Rule
    /// The number of bytes before the line, on this connection.
    public let offset: Int

    /// The rule and the remedy.
    public var description: String {
        switch self.rule {
        case .lineTooLong(let limit): "byte \(self.offset): a line is longer than \(limit) bytes"
        case .notAReport: "byte \(self.offset): a line is not a JSON object of a source (docs/sources.md)"
        case .empty: "byte \(self.offset): a line has neither fix, heading, state nor name"
        case .outOfRange(let field): "byte \(self.offset): \(field) is out of range"
        case .tooMany(let limit): "byte \(self.offset): more than \(limit) measurements in a second"
        }
    }
}
