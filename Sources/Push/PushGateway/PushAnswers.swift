internal import WhereaboutsPushEngine

/// A push of a provider's connection, and its number there.
struct SubmittedPush: Sendable {
    let push: ValidPush
    /// The relay's sender that sent it; nil: its provider is not a sender.
    let sender: Sender?
    /// Names the request on its connection.
    let number: Int32
}

/// The answer to a ``SubmittedPush``.
struct PushAnswer: Sendable {
    let number: Int32
    /// Why it was not accepted; nil: it is on disk, or Apple accepted it.
    let rejection: Rejection?
}

/// A connection that submits pushes and waits for their outcomes.
///
/// Answers come in lists, one for all of a transaction: to wake an event loop for each would cost more than its answer.
protocol AwaitsAnswers: AnyObject, Sendable {
    /// Receives answers, from any thread.
    func take(_ answers: [PushAnswer])
}
