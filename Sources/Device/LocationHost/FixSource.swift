public import WhereaboutsLocationEngine

/// A report of a source of fixes.
public enum FixSourceEvent: Sendable, Hashable {
    /// The source can be reached and searches.
    case ready
    case measured(Update.Element)
    /// The source is gone or has no fix, for the given reason, and keeps trying.
    case lost(String)

    /// A position.
    public static func fix(_ fix: Fix) -> FixSourceEvent { .measured(.fix(fix)) }
}

/// A source that reports where the device is while it is on.
///
/// It reports to a function that it received at its creation, from any thread, one event after the other; the rules are
/// `FixSourceRule` in `WhereaboutsTestKit`.
public protocol FixSource: Sendable {
    /// Powers the source up; has no effect when it is on.
    func start()
    /// Powers the source down; has no effect when it is off.
    ///
    /// A report in progress may still arrive.
    func stop()
}
