public import WhereaboutsAPNS

/// Why the relay does not send a push; it is not counted as sent.
public enum RelayRefusal: String, Sendable, Hashable, CaseIterable {
    /// Its payload is not ``SealedPayload``.
    case notSealed = "not_sealed"
    /// It has a collapse id: a text beside the sealed part, which the vendor would see.
    case named = "collapse_id"
    /// The sender has sent what it may in a day.
    case dayIsFull = "day"
    /// Too many of the sender's are under way.
    case tooManyAtOnce = "at_once"
    /// The sender waits, since half of its last pushes had tokens that Apple does not know.
    case mistakes
    /// It is no location push of an app that is relayed.
    case notRelayed = "app"
    /// Its provider is no sender.
    case noSender = "no_sender"

    /// The answer.
    public var rejection: Rejection { Rejection(self.reason, relay: self.word) }

    /// The reason in the answer.
    ///
    /// Clients fail on reasons that are not Apple's. Of those with 400, `PayloadEmpty` is the one that says that the payload has
    /// nothing which would be sent.
    public var reason: Reason {
        switch self {
        case .notSealed: .payloadEmpty
        case .named: .badCollapseID
        case .dayIsFull, .tooManyAtOnce, .mistakes: .tooManyRequests
        // As from a gateway that is no relay.
        case .notRelayed, .noSender: .badDeviceToken
        }
    }

    /// The relay's word in the answer: as the refusal is counted.
    private var word: RelayWord {
        switch self {
        case .notSealed: .notSealed
        case .named: .named
        case .dayIsFull: .dayIsFull
        case .tooManyAtOnce: .tooManyAtOnce
        case .mistakes: .mistakes
        case .notRelayed: .notRelayed
        case .noSender: .noSender
        }
    }
}
