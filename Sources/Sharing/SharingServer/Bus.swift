public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// Wakes the subscribers of a request when it changes; they read the change from the ``Store``.
///
/// A wake-up may be lost, at the price of a poll; none may come from nowhere forever.
public protocol Bus: Sendable {
    /// Wakes the subscribers of a request.
    func publish(_ id: RequestID)

    /// Returns wake-ups of a request until the stream is dropped; several that were not awaited yet are one.
    func subscribe(to id: RequestID) -> AsyncStream<Void>
}
