/// One step of a request as its requester sees it.
public struct RequestUpdate: Sendable, Hashable {
    /// Where the request is.
    public let state: RequestState
    /// How long after the call of ``Requester/ask(_:precision:suite:deadline:)`` the requester learned it.
    public let elapsed: Duration
    /// What the device said, opened; with the final state only, and only when it said something.
    public let answer: Answer?
}
