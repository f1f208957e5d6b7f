/// A measurement as a receiver says it.
public enum SourceMeasurement: Sendable, Hashable {
    case fix(SourceFix)
    case heading(SourceHeading)
}
