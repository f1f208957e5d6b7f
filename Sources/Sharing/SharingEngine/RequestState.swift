public import WhereaboutsVocabulary

/// One station of a request as its requester sees it: where it is, since when, and why.
public struct RequestState: Sendable, Hashable {
    /// The stations of a request, in the order in which they can come, then the ends.
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

        /// Whether nothing follows.
        public var isFinal: Bool {
            switch self {
            case .accepted, .pushed, .woken, .locating, .asking: false
            case .answered, .refused, .tooSoon, .unreachable, .expired, .failed: true
            }
        }
    }

    /// Where the request is.
    public let kind: Kind
    /// Since when, by the reporter's clock.
    public let time: WallTime
    /// Why, as a sentence for a person: the words of a server or sharer, without control characters.
    public let reason: String

    /// The most bytes of a reason; a longer one is cut.
    package static let reasonBytesMax = 512

    /// The rule that the request broke, if the reason is the sentence of one.
    public var rule: Refusal? { Refusal.allCases.first { $0.reason == self.reason } }

    /// Creates a state.
    public init(_ kind: Kind, at time: WallTime, reason: String) {
        self.kind = kind
        self.time = time
        self.reason = PlainText.of(reason, bytesMax: Self.reasonBytesMax)
    }
}
