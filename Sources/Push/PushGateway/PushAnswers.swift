internal import WhereaboutsPushEngine

/// A push, and the number of its request on the provider's connection.
struct SubmittedPush: Sendable {
    let push: ValidPush
    /// The relay's sender that sent the push; nil if the provider is not a sender.
    let sender: Sender?
    /// Identifies the request on its connection.
    let number: Int32
}

/// The answer to a ``SubmittedPush``.
struct PushAnswer: Sendable {
    let number: Int32
    /// Why the push was not accepted; nil if it is on disk, or Apple accepted it.
    let rejection: Rejection?
}

/// A connection that submits pushes and waits for their outcomes.
///
/// The answers of a transaction come as one list, because waking an event loop for each would cost more than the answer.
protocol AwaitsAnswers: AnyObject, Sendable {
    /// Receives answers, from any thread.
    func take(_ answers: [PushAnswer])
}
