public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Apple's latest verdict on the vendor's key, for one app.
public struct VendorKeyState: Sendable, Hashable {
    /// Apple's verdict on the key.
    public enum Answer: Sendable, Hashable {
        /// Apple accepts the key; a rejection concerns only its push.
        case taken
        /// Apple does not accept the key, at all or for this app.
        case refused(Reason)
        /// Apple did not answer, or could not be reached.
        case silence
    }

    /// The answer to the latest push.
    public let answer: Answer
    /// When the answer arrived, or when the push was abandoned without an answer.
    public let at: WallTime

    /// Derives the state from the outcome of a push.
    init(_ end: RelayEnd, at time: WallTime) {
        self.at = time
        switch end {
        case .accepted: self.answer = .taken
        case .rejected(let reason, _): self.answer = reason.concernsVendor ? .refused(reason) : .taken
        case .unanswered, .unsent: self.answer = .silence
        }
    }
}
