/// A change of a request's state, as seen by its requester.
public struct RequestUpdate: Sendable, Hashable {
    /// The new state of the request.
    public let state: RequestState
    /// The time from the request to the requester's receipt of this state.
    public let elapsed: Duration
    /// The device's answer, opened; only with the final state, and only if the device answered.
    public let answer: Answer?

    package init(state: RequestState, elapsed: Duration, answer: Answer? = nil) {
        self.state = state
        self.elapsed = elapsed
        self.answer = answer
    }
}
