internal import WhereaboutsVocabulary

/// The pushes in progress: a limited number at a time, each only once; the others wait in the order of their arrival.
///
/// Otherwise a slow push service would get the same push again at every deadline, and all waiting pushes would be sent at once.
struct PushLane: Sendable, Hashable {
    /// The maximum number of pushes in progress, our choice: the streams of a few connections.
    static let underWayMax = 64
    /// The maximum number of pushes that wait, our choice; beyond this, a push is sent at its request's next attempt.
    static let waitingMax = 1024

    // Looked up by ID, never iterated.
    private var underWay: Set<RequestID> = []
    private var waiting: [RequestID] = []

    /// Actions returned by ``pushWanted(_:)``.
    enum OnWanted: Sendable, Hashable {
        case send
        /// Do nothing: the push is in progress or waits, or the request's next attempt sends it.
        case ignore
    }

    /// Records that a request's push must be sent.
    mutating func pushWanted(_ id: RequestID) -> OnWanted {
        guard !self.underWay.contains(id), !self.waiting.contains(id) else { return .ignore }
        if self.underWay.count < Self.underWayMax {
            self.underWay.insert(id)
            return .send
        }
        if self.waiting.count < Self.waitingMax { self.waiting.append(id) }
        return .ignore
    }

    /// Records the end of an attempt to push, whatever the result.
    ///
    /// - Returns: the next push to send.
    mutating func attemptEnded(_ id: RequestID) -> RequestID? {
        guard self.underWay.remove(id) != nil, !self.waiting.isEmpty else { return nil }
        let next = self.waiting.removeFirst()
        self.underWay.insert(next)
        return next
    }
}
