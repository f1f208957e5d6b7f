public import WhereaboutsAPNS

/// Why the relay does not send a push; such a push is not counted as sent.
public enum RelayRefusal: String, Sendable, Hashable, CaseIterable {
    /// The payload is not a ``SealedPayload``.
    case notSealed = "not_sealed"
    /// The push has a collapse ID, which the vendor would see.
    case named = "collapse_id"
    /// The sender has used up its pushes for the day.
    case dayIsFull = "day"
    /// Too many of the sender's pushes are in progress.
    case tooManyAtOnce = "at_once"
    /// The sender must wait, because half of its last pushes had tokens that Apple does not know.
    case mistakes
    /// The push is not a location push of a relayed app.
    case notRelayed = "app"
    /// The provider is not a sender.
    case noSender = "no_sender"

    /// The answer.
    public var rejection: Rejection { Rejection(self.reason, relay: self.word) }

    /// The reason in the answer.
    ///
    /// Clients fail on reasons that are not Apple's. Of Apple's reasons with 400, `PayloadEmpty` fits best: the payload
    /// contains nothing that can be sent.
    public var reason: Reason {
        switch self {
        case .notSealed: .payloadEmpty
        case .named: .badCollapseID
        case .dayIsFull, .tooManyAtOnce, .mistakes: .tooManyRequests
        // The same reason as from a gateway without a relay.
        case .notRelayed, .noSender: .badDeviceToken
        }
    }

    /// The relay's part of the answer; the refusal is counted under the same name.
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
