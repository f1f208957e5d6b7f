/// One element of a client's stream: a position, reasons, or both; never neither (ADR 0009).
public struct Update: Sendable, Hashable {
    /// The position; nil when there is none, and ``diagnostics`` says why.
    public let fix: Fix?
    /// What holds for it; empty for a plain position.
    public let diagnostics: UpdateDiagnostics

    /// Creates an element with a position.
    public static func fix(_ fix: Fix, _ diagnostics: UpdateDiagnostics = []) -> Update {
        Update(fix: fix, diagnostics: diagnostics)
    }

    /// Creates an element without one.
    ///
    /// - Parameter diagnostics: why; not empty.
    /// - Returns: the element.
    public static func unavailable(_ diagnostics: UpdateDiagnostics) -> Update {
        precondition(!diagnostics.isEmpty, "an update without a position must say why")
        return Update(fix: nil, diagnostics: diagnostics)
    }
}
