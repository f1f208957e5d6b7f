/// The accuracy with which a program wants to know, or may know, where the device is, in GeoClue's numbers.
package enum AccuracyLevel: UInt32, Sendable, Hashable, Comparable, CaseIterable {
    /// Not at all.
    case none = 0
    case country = 1
    case city = 4
    /// To a part of a city.
    case neighborhood = 5
    case street = 6
    /// As exactly as it is known.
    case exact = 8

    /// The level of a number; numbers between two levels mean the lower one.
    package init(number: UInt32) {
        self = Self.allCases.last { $0.rawValue <= number } ?? .none
    }

    /// Whether it needs full accuracy.
    package var needsFullAccuracy: Bool { self >= .street }

    package static func < (lhs: AccuracyLevel, rhs: AccuracyLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}
