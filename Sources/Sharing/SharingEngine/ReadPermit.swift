/// A requester's signed permission for its bearer to read the events of one of the requester's requests.
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
