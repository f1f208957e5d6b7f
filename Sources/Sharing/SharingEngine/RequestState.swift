public import WhereaboutsVocabulary

/// The state of a request as seen by its requester, with its time and reason.
public struct RequestState: Sendable, Hashable {
    /// The states of a request, in their possible order, and then the final states.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The server stored the request.
        case accepted
        /// The push service accepted the push.
        case pushed
        /// The device was woken.
        case woken
        case locating
        /// The device waits for its person's answer.
        case asking
        /// Final: a position arrived.
        case answered
        /// Final: the sharer's server or device refused.
        case refused
        /// Final: the grant or the device allows the next request only later.
        case tooSoon
        /// Final: the device did not report.
        case unreachable
        /// Final: the request's own time ran out.
        case expired
        /// Final: the device reported but did not answer, or the request could not be made.
        case failed

        /// Whether the state never changes again.
        public var isFinal: Bool {
            switch self {
            case .accepted, .pushed, .woken, .locating, .asking: false
            case .answered, .refused, .tooSoon, .unreachable, .expired, .failed: true
            }
        }
    }

    /// The kind of the state.
    public let kind: Kind
    /// When the request reached the state, by the reporter's clock.
    public let time: WallTime
    /// The reason, a sentence for a person from a server or sharer, without control characters.
    public let reason: String

    /// The maximum number of bytes of a reason; a longer one is cut.
    package static let reasonBytesMax = 512

    /// The rule that the request broke, if a rule decided.
    public let rule: Refusal?

    /// The rule, or the kind if no rule decided: a word for programs, which stays the same when the reason's text changes.
    public var code: String { self.rule?.code ?? self.kind.rawValue }

    /// Creates a state.
    public init(_ kind: Kind, at time: WallTime, reason: String) {
        self.kind = kind
        self.time = time
        self.reason = PlainText.of(reason, bytesMax: Self.reasonBytesMax)
        self.rule = nil
    }

    /// Creates the state of a request that broke a rule.
    public init(_ kind: Kind, at time: WallTime, rule: Refusal) {
        self.kind = kind
        self.time = time
        self.reason = rule.reason
        self.rule = rule
    }

    /// Creates the final state of an answered request, which the server reported as `told`.
    package init(_ content: Answer.Content, told: RequestState) {
        switch content {
        case .fix: self = told
        case .refusal(let rule): self.init(.refused, at: told.time, rule: rule)
        case .unavailable(let reason): self.init(.failed, at: told.time, reason: reason)
        }
    }
}
