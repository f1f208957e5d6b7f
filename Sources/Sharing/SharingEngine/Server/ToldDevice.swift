/// The device that was notified of a request, as the server knows it.
///
/// Answers and updates do not name their device (ADR 0083).
package enum ToldDevice: Int, Sendable, Hashable, CaseIterable {
    /// The device that answers for its person.
    case answering = 0
    /// A device that answered before another one was chosen.
    case astray = 1
    /// A device that answered before, and was removed by the person.
    case removed = 2
}
