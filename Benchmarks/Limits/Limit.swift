/// The bound of one ratio, with the source of its number.
public struct Limit: Sendable, Hashable {
    /// The side on which the ratio must lie.
    public enum Side: String, Sendable, Hashable {
        /// Smaller is better: the ratio is at most the limit.
        case most
        /// Larger is better: the ratio is at least the limit.
        case least
    }

    /// The benchmark that measures the ratio, with its name for `make bench NAME=`.
    public let benchmark: String
    /// The figure's name.
    public let figure: String
    /// The side of ``bound`` on which the ratio must lie.
    public let side: Side
    /// The last ratio that passes.
    public let bound: Double
    /// The day the bound was set, such as `2026-11-21`.
    public let date: String
    /// The machine of the measurement that the bound was taken from.
    public let machine: String
    /// The source of the number.
    public let source: String

    /// Whether a ratio lies on the right side; NaN lies on neither side.
    public func admits(_ ratio: Double) -> Bool {
        switch self.side {
        case .most: ratio <= self.bound
        case .least: ratio >= self.bound
        }
    }
}
