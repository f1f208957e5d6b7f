/// Decides what one sequence of live updates is given.
///
/// ```
///          fix                    diagnostics
///   fresh ─────▶ delivering ◀──────────────────▶ blocked(reasons)
///     └── diagnostics ──▶ blocked      fix
/// ```
/// Served at once when it begins: with the last fix if that is recent, or with the reasons why not (ADR 0009).
public struct UpdateStream: Sendable, Hashable {
    /// What the stream was given last.
    enum State: Sendable, Hashable {
        /// Nothing yet.
        case fresh
        /// This fix.
        case delivering(Fix)
        /// These reasons.
        case blocked(UpdateDiagnostics)
    }

    private(set) var state: State = .fresh

    /// Creates a stream that was given nothing.
    public init() {}

    /// Whether the last element was a position.
    var isServed: Bool {
        switch self.state {
        case .delivering: true
        case .fresh, .blocked: false
        }
    }

    /// Actions returned by ``evaluated(_:fix:)``.
    public enum OnEvaluation: Sendable, Hashable {
        /// Give the stream this element.
        case send(Update)
        /// Do nothing; it knows.
        case ignore
    }

    /// Records what holds for the stream now.
    ///
    /// - Parameters:
    ///   - diagnostics: why it may not be served; empty when it may.
    ///   - fix: the newest fix that may stand for the present; nil while there is none.
    /// - Returns: what to give the stream.
    public mutating func evaluated(_ diagnostics: UpdateDiagnostics, fix: Fix?) -> OnEvaluation {
        if !diagnostics.isEmpty {
            guard self.state != .blocked(diagnostics) else { return .ignore }
            self.state = .blocked(diagnostics)
            return .send(.unavailable(diagnostics))
        }
        guard let fix, self.state != .delivering(fix) else { return .ignore }
        self.state = .delivering(fix)
        return .send(.fix(fix))
    }
}
