/// The relay's explanation of a failed push, in addition to the reason, which is always one of Apple's (ADR 0076).
///
/// It is the value of the header ``HeaderName/relay``. Apple does not send this header, and other clients ignore it (RFC 9110,
/// 5.1). So every client knows the reason, and a client that reads the header learns whether Apple or the relay rejected the push.
public enum RelayWord: String, Sendable, Hashable, CaseIterable {
    /// The reason is Apple's. A push that breaks Apple's rules is not forwarded, and gets the reason that Apple would give.
    case apple
    /// The push was sent, and Apple did not answer in time: it may have been accepted.
    case unanswered
    /// Apple could not be reached, so nothing was accepted.
    case unsent
    /// Apple does not accept the key of the relay's vendor, at all or for this app.
    case vendor
    /// The payload is not sealed. This value and all following values mean that nothing was sent to Apple.
    case notSealed = "not_sealed"
    /// The push has a collapse id.
    case named = "collapse_id"
    /// The sender has used up its pushes for the day (UTC).
    case dayIsFull = "day"
    /// Too many of the sender's pushes are in progress.
    case tooManyAtOnce = "at_once"
    /// The sender must wait, because too many of its pushes had unknown tokens.
    case mistakes
    /// The push is not a location push of a relayed app.
    case notRelayed = "app"
    /// The provider is not a sender.
    case noSender = "no_sender"
    /// A value that this version does not know, and never sends.
    case unknown

    /// Reads the value of the header.
    public init(header: String) {
        self = Self(rawValue: header) ?? .unknown
    }
}
