/// A measurement, as reported by a receiver.
public enum SourceMeasurement: Sendable, Hashable {
    case fix(SourceFix)
    case heading(SourceHeading)
}
