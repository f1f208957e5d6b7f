/// One step of a request as its requester sees it.
public struct RequestUpdate: Sendable, Hashable {
    /// Where the request is.
    public let state: RequestState
    /// How long after the question the requester learned it.
    public let elapsed: Duration
    /// The device's answer, opened; with the final state only, and only when there is one.
    public let answer: Answer?

    package init(state: RequestState, elapsed: Duration, answer: Answer? = nil) {
        self.state = state
        self.elapsed = elapsed
        self.answer = answer
    }
}
