internal import Synchronization
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The event streams that are open: bounded by requester and by sharer, and by address and in all as connections are.
final class EventStreams: Sendable {
    /// The most streams of one requester.
    ///
    /// Source: our choice; one follows each request, and a device has places for 4 of one grant.
    static let ofRequesterMax = 64
    /// The most streams about one sharer.
    ///
    /// Source: our choice; nearly twice ``Following/followersMax`` and ``SharingPolicy/pendingPerDeviceMax`` together, since a client that
    /// comes again has two for a moment.
    static let ofSharerMax = 256

    /// One open stream; its place is free again when this is gone.
    final class Place: Sendable {
        /// Ends when the stream has to make room for another one.
        let lasting: AsyncStream<Never>
        private let streams: EventStreams
        private let id: UInt64

        fileprivate init(_ streams: EventStreams, _ id: UInt64, _ lasting: AsyncStream<Never>) {
            self.streams = streams
            self.id = id
            self.lasting = lasting
        }

        deinit { self.streams.left(self.id) }
    }

    private struct Open {
        let requester: PublicIdentity
        let sharer: PublicIdentity
        let lasting: AsyncStream<Never>.Continuation
    }

    private struct State {
        var limit: ConnectionLimit<UInt64, Never>
        var open: [UInt64: Open] = [:]
        var ofRequester: [PublicIdentity: Int] = [:]
        var ofSharer: [PublicIdentity: Int] = [:]
        var lastID: UInt64 = 0
    }

    private let metrics: ServerMetrics
    private let state: Mutex<State>

    init(max: Int, metrics: ServerMetrics) {
        self.state = Mutex(State(limit: ConnectionLimit(connectionsMax: max)))
        self.metrics = metrics
    }

    /// Takes a place for a stream, perhaps that of a stranger's stream, which ends.
    ///
    /// - Parameters:
    ///   - requester: the reader.
    ///   - sharer: the sharer whom it is about.
    ///   - trust: what it deserves by its sharer.
    ///   - address: where the reader comes from.
    /// - Returns: nil if there is no place for it.
    func place(
        of requester: PublicIdentity,
        about sharer: PublicIdentity,
        _ trust: ConnectionTrust,
        from address: AddressBlock
    ) -> Place? {
        let (lasting, continuation) = AsyncStream.makeStream(of: Never.self)
        let (id, refusal) = self.state.withLock { state -> (UInt64, ServerMetrics.Reason?) in
            guard state.ofRequester[requester, default: 0] < Self.ofRequesterMax,
                state.ofSharer[sharer, default: 0] < Self.ofSharerMax
            else { return (0, .count) }
            state.lastID += 1
            switch state.limit.arrived(state.lastID, from: address, trust: trust) {
            case .admit: break
            case .replace(let stranger):
                self.metrics.refused(.stream, .displaced)
                Self.forget(stranger, &state)
            case .refuseAddress: return (0, .address)
            case .refuse: return (0, .places)
            }
            state.open[state.lastID] = Open(requester: requester, sharer: sharer, lasting: continuation)
            state.ofRequester[requester, default: 0] += 1
            state.ofSharer[sharer, default: 0] += 1
            self.metrics.streams(state.open.count)
            return (state.lastID, nil)
        }
        if let refusal {
            self.metrics.refused(.stream, refusal)
            return nil
        }
        self.metrics.took(.stream)
        return Place(self, id, lasting)
    }

    private func left(_ id: UInt64) {
        self.state.withLock { state in
            state.limit.left(id)
            Self.forget(id, &state)
            self.metrics.streams(state.open.count)
        }
    }

    private static func forget(_ id: UInt64, _ state: inout State) {
        guard let open = state.open.removeValue(forKey: id) else { return }
        Self.takeOne(from: &state.ofRequester, open.requester)
        Self.takeOne(from: &state.ofSharer, open.sharer)
        open.lasting.finish()
    }

    private static func takeOne(from counts: inout [PublicIdentity: Int], _ key: PublicIdentity) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
