/// GeoClue's levels of accuracy: what a program requests, or what it may receive.
package enum AccuracyLevel: UInt32, Sendable, Hashable, Comparable, CaseIterable {
    /// Not at all.
    case none = 0
    case country = 1
    case city = 4
    /// Accurate to a part of a city.
    case neighborhood = 5
    case street = 6
    /// As accurate as the position is known.
    case exact = 8

    /// Creates the level of a number; a number between two levels counts as the lower level.
    package init(number: UInt32) {
        self = Self.allCases.last { $0.rawValue <= number } ?? .none
    }

    /// Whether the level needs full accuracy.
    package var needsFullAccuracy: Bool { self >= .street }

    package static func < (lhs: AccuracyLevel, rhs: AccuracyLevel) -> Bool { lhs.rawValue < rhs.rawValue }
}
