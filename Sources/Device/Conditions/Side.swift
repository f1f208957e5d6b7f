/// One of the two sides of a condition's boundary.
public enum Side: Sendable, Hashable, CaseIterable {
    /// Within the circle: Core Location's *satisfied*.
    case inside
    /// Beyond it: *unsatisfied*.
    case outside
}
