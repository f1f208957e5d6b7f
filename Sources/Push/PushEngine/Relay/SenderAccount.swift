public import WhereaboutsAPNS

/// The pushes sent for a sender on a day, by Apple's answers.
public struct SenderAccount: Sendable, Hashable {
    /// The number of stored days: more than a year, so that a year's bill can be checked.
    public static let keptDaysMax: Int64 = 400

    /// A kind of event that an account counts.
    public enum Entry: Sendable, Hashable {
        /// The push is about to be sent; it is counted on disk first.
        case sent
        /// A counted push was not sent.
        ///
        /// This is a separate count, because counts only grow, so that an account can be checked.
        case unsent
        case accepted
        /// Apple rejected it.
        case rejected(Reason)

        /// The entry as text in a store: `sent`, `unsent`, `accepted`, or Apple's reason.
        public var rawValue: String {
            switch self {
            case .sent: "sent"
            case .unsent: "unsent"
            case .accepted: "accepted"
            case .rejected(let reason): reason.rawValue
            }
        }

        /// Reads an entry from its text; nil for another text.
        public init?(rawValue: String) {
            switch rawValue {
            case "sent": self = .sent
            case "unsent": self = .unsent
            case "accepted": self = .accepted
            default:
                guard let reason = Reason(rawValue: rawValue) else { return nil }
                self = .rejected(reason)
            }
        }
    }

    /// The pushes that were counted before they were sent.
    private var counted = 0
    /// The counted pushes that were not sent.
    private var unsent = 0
    /// Pushes that Apple accepted.
    public private(set) var accepted = 0
    private var rejections: [Reason: Int] = [:]

    /// Creates an empty account.
    public init() {}

    /// The pushes that were sent.
    ///
    /// A push that was counted, but not sent because the gateway was killed, is included.
    public var sent: Int { self.counted - self.unsent }

    /// Pushes that Apple rejected, by its reasons, in the order of the list of reasons.
    public var rejected: [(reason: Reason, count: Int)] {
        Reason.allCases.compactMap { reason in self.rejections[reason].map { (reason, $0) } }
    }

    /// The pushes to which Apple has not answered.
    public var unanswered: Int { self.sent - self.accepted - self.rejected.reduce(0) { $0 + $1.count } }

    /// Adds to an entry.
    public mutating func add(_ count: Int, to entry: Entry) {
        switch entry {
        case .sent: self.counted += count
        case .unsent: self.unsent += count
        case .accepted: self.accepted += count
        case .rejected(let reason): self.rejections[reason, default: 0] += count
        }
    }
}
