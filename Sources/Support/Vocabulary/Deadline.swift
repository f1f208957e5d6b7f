/// The instant at which a machine wants to run again, and why.
public struct Deadline<Reason: Sendable & Hashable>: Sendable, Hashable {
    /// The instant to tell the machine that its deadline is reached.
    public let at: EngineInstant
    /// The timer that ends at this instant.
    public let reason: Reason

    /// Creates a deadline.
    public init(_ at: EngineInstant, _ reason: Reason) {
        self.at = at
        self.reason = reason
    }
}

extension Optional {
    /// Replaces the deadline by an earlier one, with its reason; of two at the same instant the first one stays.
    package mutating func lower<Reason>(to other: EngineInstant?, _ reason: Reason) where Wrapped == Deadline<Reason> {
        guard let other else { return }
        if self.map({ other < $0.at }) ?? true { self = Deadline(other, reason) }
    }
}
