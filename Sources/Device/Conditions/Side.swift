/// One of the two sides of a condition's boundary.
public enum Side: Sendable, Hashable, CaseIterable {
    /// Within the circle: Core Location's *satisfied*.
    case inside
    /// Outside the circle: *unsatisfied*.
    case outside
}
