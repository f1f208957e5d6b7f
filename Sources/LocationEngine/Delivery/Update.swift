/// One element of a client's live updates: a fix, or the reasons why there is none; never neither (ADR 0009).
public enum Update: Sendable, Hashable {
    /// A position.
    case fix(Fix)
    /// No position, and why; not empty.
    case unavailable(UpdateDiagnostics)
}
