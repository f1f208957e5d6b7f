/// An error in a scanner's line: the rule, without the line, which reveals where the device is.
public struct BeaconFeedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rules.
    public enum Rule: Error, Sendable, Hashable {
        /// A line is longer than this many bytes.
        case lineTooLong(limit: Int)
        /// A line is not a JSON object with the fields of `docs/beacons.md`, or a field has the wrong type.
        case notAReport
        /// A field is out of its range.
        case outOfRange(field: String)
        /// The time of a reception is too far from the device's clock: more than that many seconds before or after.
        case anotherTime(secondsMax: Int)
        /// More than that many receptions came in a second.
        case tooMany(limit: Int)
    }

    /// The broken rule.
    public let rule: Rule
    /// The number of bytes before the line, on this connection.
    public let offset: Int

    /// The rule and the remedy.
    public var description: String {
        switch self.rule {
        case .lineTooLong(let limit): "byte \(self.offset): a line is longer than \(limit) bytes"
        case .notAReport: "byte \(self.offset): a line is not a JSON object of a scanner (docs/beacons.md)"
        case .outOfRange(let field): "byte \(self.offset): \(field) is out of range"
        case .anotherTime(let limit):
            "byte \(self.offset): the time differs by more than \(limit) s from this device's clock; set the scanner's, or omit the time"
        case .tooMany(let limit): "byte \(self.offset): more than \(limit) receptions in a second"
        }
    }
}
