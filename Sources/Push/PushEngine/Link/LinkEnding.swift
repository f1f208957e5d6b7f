/// Why the gateway ended a device's link, as its counter names it.
public enum LinkEnding: String, Sendable, Hashable, CaseIterable {
    /// No proof of a key came in time.
    case lateProof = "late_proof"
    /// The proof is not by the key that it names, or of another connection: a replay, too.
    case badProof = "bad_proof"
    /// Something came before the proof, or another proof.
    case outOfTurn = "out_of_turn"
    /// Nothing came for so long that the device must be gone.
    case silent
    /// The device does not read what it is sent.
    case unread
    /// Too much came that asks for nothing, or before answers were there.
    case flood
    /// The bytes that came are no frame of the link.
    case unreadable
    case lost
    /// The gateway decided it, for what the device asked or for its own sake.
    case decided
}
