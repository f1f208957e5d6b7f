/// The reason why a text is not usable GPX, and the number of the point.
public struct GPXError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rules that a GPX file can break.
    public enum Rule: Sendable, Hashable {
        /// The file has no point.
        case noPoints
        /// The text ends within a tag.
        case cutShort
        case noAttribute(String)
        /// The attribute is not a number.
        case noDegrees(attribute: String, value: String)
        /// The coordinates are out of range.
        case noPlace(latitude: Double, longitude: Double)
        /// The element is not a number in its range.
        case noNumber(element: String, value: String, unit: String, allowed: ClosedRange<Double>)
        /// The element is not a time.
        case noTime(String)
    }

    /// The broken rule.
    public let rule: Rule
    /// The number of the point that breaks the rule, from 1; 0 if the error concerns the whole file.
    public let point: Int

    /// The mistake, its place, and its remedy.
    public var description: String {
        switch self.rule {
        case .noPoints: "the GPX text has no <trkpt>, <rtept> or <wpt>: is it a GPX file?"
        case .cutShort: "point \(self.point): a tag is not closed; the file is cut short"
        case .noAttribute(let name): "point \(self.point): the attribute \(name) is missing"
        case .noDegrees(let name, let value): "point \(self.point): \(name)=\"\(value)\" is not a number of degrees"
        case .noPlace(let latitude, let longitude):
            "point \(self.point): (\(latitude), \(longitude)) is not a place on Earth; latitudes are -90…90, "
                + "longitudes -180…180"
        case .noNumber(let element, let value, let unit, let allowed):
            "point \(self.point): <\(element)>\(value) is not a number of \(unit) from \(allowed.lowerBound) to "
                + "\(allowed.upperBound)"
        case .noTime(let value): "point \(self.point): the time \(value) is not of the form 2026-01-31T12:00:00Z"
        }
    }
}
