internal import Synchronization
internal import WhereaboutsSharingEngine

/// Counts the event streams that are open, so that there is a bound, of a requester and then of all.
final class EventStreams: Sendable {
    /// The most streams of one requester.
    ///
    /// Source: our choice; one follows each request, and a device has places for 4 of one grant.
    static let ofRequesterMax = 64

    /// One open stream; its place is free again when this is gone.
    final class Place: Sendable {
        private let streams: EventStreams
        private let requester: PublicIdentity

        fileprivate init(_ streams: EventStreams, _ requester: PublicIdentity) {
            self.streams = streams
            self.requester = requester
        }

        deinit { self.streams.left(self.requester) }
    }

    private struct State {
        var count = 0
        var ofRequester: [PublicIdentity: Int] = [:]
    }

    private let max: Int
    private let metrics: ServerMetrics
    private let state = Mutex(State())

    init(max: Int, metrics: ServerMetrics) {
        self.max = max
        self.metrics = metrics
    }

    /// Takes a place; nil when all are taken, or all of the requester.
    func place(of requester: PublicIdentity) -> Place? {
        let refusal = self.state.withLock { state -> ServerMetrics.Reason? in
            guard state.ofRequester[requester, default: 0] < Self.ofRequesterMax else { return .count }
            guard state.count < self.max else { return .places }
            state.count += 1
            state.ofRequester[requester, default: 0] += 1
            self.metrics.streams(state.count)
            return nil
        }
        if let refusal {
            self.metrics.refused(.stream, refusal)
            return nil
        }
        self.metrics.took(.stream)
        return Place(self, requester)
    }

    private func left(_ requester: PublicIdentity) {
        self.state.withLock { state in
            state.count -= 1
            let left = state.ofRequester[requester, default: 0] - 1
            state.ofRequester[requester] = left > 0 ? left : nil
            self.metrics.streams(state.count)
        }
    }
}
