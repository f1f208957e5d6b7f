/// The fault of a line from gpsd, and where in the stream that line begins.
public struct GPSDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that a line breaks.
    public enum Rule: Error, Sendable, Hashable {
        /// A line is longer than the limit, which is given in bytes.
        case lineTooLong(limit: Int)
        /// A line is not a JSON object with a `class`.
        case notAReport
        /// A report of this class lacks a field, or has it with a wrong type.
        case wrongShape(report: String)
        /// A field is outside its range.
        case outOfRange(field: String)
        /// The daemon speaks a protocol whose major version is not 3.
        case unsupportedProtocol(major: Int)
    }

    /// The broken rule.
    public let rule: Rule
    /// The byte offset of the line's first byte since the connection began.
    public let offset: Int

    /// The rule and the remedy, without the line itself, which may contain a position.
    public var description: String {
        let problem =
            switch self.rule {
            case .lineTooLong(let limit): "a line is longer than \(limit) bytes; is the other side really gpsd?"
            case .notAReport: "a line is not a JSON object with a class; is the other side really gpsd?"
            case .wrongShape(let report): "a \(report) report lacks a field or has one of a wrong type"
            case .outOfRange(let field): "the field \(field) is out of its range; the report was dropped"
            case .unsupportedProtocol(let major): "gpsd uses protocol \(major); install a gpsd that uses 3 (since 2.90)"
            }
        return "gpsd, byte \(self.offset): \(problem)"
    }
}
