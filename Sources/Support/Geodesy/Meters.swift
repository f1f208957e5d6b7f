/// A length in metres.
public struct Meters: Sendable, Hashable, Comparable {
    /// The length in metres; finite.
    public let value: Double

    /// Creates a length.
    ///
    /// - Parameter value: metres; must be finite.
    public init(_ value: Double) {
        precondition(value.isFinite, "a length must be finite, got \(value) m")
        self.value = value
    }

    /// The length, rounded to the nearest millimetre.
    ///
    /// Compare these values in decisions: the last digits of a computed length differ between mathematics libraries.
    public var millimeters: Int64 {
        Int64((self.value * 1000).rounded())
    }

    /// Returns whether the left length is the shorter one.
    public static func < (lhs: Meters, rhs: Meters) -> Bool {
        lhs.value < rhs.value
    }
}
