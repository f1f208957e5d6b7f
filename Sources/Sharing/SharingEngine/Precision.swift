/// How exactly a position may be reported.
public enum Precision: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    /// The middle of a cell of about 5 km, without altitude, course and speed.
    case reduced = 0
    case full = 1

    /// Compares by exactness: reduced is less than full.
    public static func < (lhs: Precision, rhs: Precision) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
