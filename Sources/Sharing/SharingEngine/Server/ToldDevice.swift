/// The device that was notified of a request, as the server knows it: an answer, and an update of a following, do not say which one gave them (ADR 0088).
package enum ToldDevice: Int, Sendable, Hashable, CaseIterable {
    /// The one that answers for its person.
    case answering = 0
    /// One of before, since another one was chosen.
    case astray = 1
    /// One of before, after a removal: its person removed it, or another one of before.
    case removed = 2
}
