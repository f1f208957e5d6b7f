/// Why the gateway ended a device's link; the raw value labels the counter.
public enum LinkEnding: String, Sendable, Hashable, CaseIterable {
    /// No proof of a key arrived in time.
    case lateProof = "late_proof"
    /// The proof was not made with the named key, or is for another connection, for example a replay.
    case badProof = "bad_proof"
    /// A message arrived before the proof, or a second proof.
    case outOfTurn = "out_of_turn"
    /// No message arrived for so long that the device must have disconnected.
    case silent
    /// The device does not read its messages.
    case unread
    /// Too many messages that need no answer, or too many unanswered requests.
    case flood
    /// The bytes are not a frame of the push link.
    case unreadable
    case lost
    /// Another decision of the gateway, because of a request or its own state.
    case decided
}
