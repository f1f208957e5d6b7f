/// A requester's statement that the bearer may read the events of one of their requests.
package struct ReadPermit: Sendable, Hashable {
    /// The request whose events may be read.
    package let request: RequestID
    /// The requester of the request.
    package let requester: PublicIdentity

    package init(request: RequestID, requester: PublicIdentity) {
        self.request = request
        self.requester = requester
    }
}
