/// A person's decision how precisely one app may know the location.
///
/// ```
///            decided(precise: false)             wanted(purpose)           allowed
///     full ◀────────────────────────▶ reduced ───────────────────▶ asking ─────────▶ fullForNow
///            decided(precise: true)      ▲ ▲                          │                  │
///                                        │ └──── refused, withdrawn ──┘                  │
///                                        └─────────────────── lapsed ────────────────────┘
/// ```
/// Ignored races: an answer after the question is gone.
public struct AccuracyAuthorization: Sendable, Hashable {
    /// The state of the person's decision.
    public enum State: Sendable, Hashable {
        /// As precise as the device knows.
        case full
        /// Approximate: a cell some kilometres wide.
        case reduced
        /// Reduced, while a prompt asks for full accuracy for this purpose.
        case asking(purpose: String)
        /// Full until the app is no longer in use, or its process ends; then reduced again.
        case fullForNow
    }

    private(set) var state: State

    /// Creates the machine of an app without a decision.
    public init(precise: Bool) {
        self.state = precise ? .full : .reduced
    }

    init(restoring state: State) {
        self.state = state
    }

    /// Whether the app may know the precise location now.
    public var isFull: Bool { self.state == .full || self.state == .fullForNow }

    /// Whether Settings shows the app as precise; temporary full accuracy does not count.
    public var isFullForGood: Bool { self.state == .full }

    /// The purpose of the open question, or nil.
    public var purpose: String? { if case .asking(let purpose) = self.state { purpose } else { nil } }

    /// Records a person's decision, in a prompt or in Settings, which withdraws an open prompt.
    ///
    /// - Returns: whether anything changed.
    public mutating func decided(precise: Bool) -> Bool {
        self.become(precise ? .full : .reduced)
    }

    /// Actions returned by ``wanted(for:)``.
    public enum OnWanted: Sendable, Hashable {
        /// Ask the person when that is possible.
        case ask
        /// Do nothing: the accuracy is already full.
        case ignore
        /// Do nothing: another question is open.
        case wait
    }

    /// Records that an app in the foreground needs full accuracy for a purpose.
    public mutating func wanted(for purpose: String) -> OnWanted {
        switch self.state {
        case .reduced:
            self.state = .asking(purpose: purpose)
            return .ask
        case .asking: return .wait
        case .full, .fullForNow: return .ignore
        }
    }

    /// Records a person's answer; ignored when no question is open.
    ///
    /// - Returns: whether anything changed.
    public mutating func answered(allow: Bool) -> Bool {
        guard case .asking = self.state else { return false }
        return self.become(allow ? .fullForNow : .reduced)
    }

    /// Records that the app is no longer in use, or that its process ended.
    ///
    /// - Returns: whether anything changed.
    public mutating func lapsed() -> Bool {
        self.state == .fullForNow ? self.become(.reduced) : false
    }

    /// Records that the question cannot be answered now.
    ///
    /// - Returns: whether anything changed.
    public mutating func withdrawn() -> Bool {
        if case .asking = self.state { self.become(.reduced) } else { false }
    }

    private mutating func become(_ next: State) -> Bool {
        defer { self.state = next }
        return next != self.state
    }
}
