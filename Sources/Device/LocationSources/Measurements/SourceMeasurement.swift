/// A measurement as a receiver says it.
public enum SourceMeasurement: Sendable, Hashable {
    /// A position.
    case fix(SourceFix)
    /// A heading.
    case heading(SourceHeading)
}
