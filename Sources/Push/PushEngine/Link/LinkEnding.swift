/// Why the gateway ended a device's link, as its counter names it.
public enum LinkEnding: String, Sendable, Hashable, CaseIterable {
    /// No proof of a key arrived in time.
    case lateProof = "late_proof"
    /// The proof is not by the key that it names, or of another connection: a replay, too.
    case badProof = "bad_proof"
    /// A message arrived before the proof, or a second proof.
    case outOfTurn = "out_of_turn"
    /// No message arrived for so long that the device must be gone.
    case silent
    /// The device does not read its messages.
    case unread
    /// Too many messages that need no answer, or too many before their answers.
    case flood
    /// The bytes are no frame of the link.
    case unreadable
    case lost
    /// The gateway decided it, because of the device's request or its own state.
    case decided
}
