internal import DequeModule
internal import WhereaboutsVocabulary

/// The event streams that are open: what each one has sent to its reader, when it reads the store next, and how many may be open.
///
/// A stream reads the store when it opens, when its request may have changed, and every ``pollInterval``. Each stream has only one
/// read or message in progress, so that a slow reader costs no memory. Changes meanwhile cause one more read.
package struct EventStreams: Sendable {
    /// The maximum number of streams of one requester.
    ///
    /// Source: our choice. Each request has one stream, and at most 4 requests under a grant are pending.
    package static let ofRequesterMax = 64
    /// The maximum number of streams about one sharer.
    ///
    /// Source: our choice. It is nearly twice ``Following/followersMax`` and ``SharingPolicy/pendingPerSharerMax`` together,
    /// since a client that reconnects has two streams for a moment.
    package static let ofSharerMax = 256
    /// The interval at which a stream reads the store without a known change, and sends something to detect a dead connection.
    ///
    /// Source: our choice; a sixth of the allowance.
    package static let pollInterval: Duration = .seconds(5)

    /// The data that a stream reports.
    package enum Kind: Sendable, Hashable {
        /// The states of a request.
        case states
        /// The updates of a live share.
        case updates
    }

    /// The result of a read of the store for a stream.
    package enum Look: Sendable, Hashable {
        case states(RequestRecord?)
        case updates(LiveShareState)
    }

    /// One state of a request.
    package struct State: Sendable, Hashable {
        package let state: RequestState
        /// The signed answer; with the kind `answered` only.
        package let answer: [UInt8]?
    }

    /// A message to the reader of a stream.
    package enum Message: Sendable, Hashable {
        /// The states since the last message, oldest first.
        case states([State])
        /// The newest update of a live share; nil if none arrived since the last message.
        case update([UInt8]?)
        /// The newest events of a dispatcher's incidents; empty: there are none since the last message.
        case incidents([IncidentEvent])
        /// The live share has ended, with the signed end if a side ended it.
        case ended(FollowingEnd.Reason, statement: [UInt8]?)
    }

    /// Why a stream is not opened.
    package enum Refusal: Sendable, Hashable {
        /// The requester, or the sharer, has the maximum number of streams.
        case count
        /// Few places are left, and the reader's address uses its share.
        case address
        /// No place is left.
        case places
    }

    /// Actions returned by ``opened(_:_:_:about:_:from:now:)``.
    package enum OnOpened: Sendable, Hashable {
        case admit
        /// Admit it, and close this stream of a stranger.
        case replace(SharingCore.Ticket)
        case refuse(Refusal)
    }

    private struct Stream: Sendable {
        let kind: Kind
        let permit: ReadPermit
        let sharer: PublicIdentity
        /// The number of states that were sent, or the number of the last update.
        var told: UInt64 = 0
        /// Whether a read or a message is in progress.
        var isBusy = false
        /// Whether the request or live share may have changed since that read or message began.
        var isStale = false
    }

    // Looked up by ticket, never iterated.
    private var open: [SharingCore.Ticket: Stream] = [:]
    /// The streams about each request, in the order they were opened.
    private var readers: [RequestID: [SharingCore.Ticket]] = [:]
    private var ofRequester: [PublicIdentity: Int] = [:]
    private var ofSharer: [PublicIdentity: Int] = [:]
    private var limit: ConnectionLimit<SharingCore.Ticket, Never>
    /// When streams read the store without a known change, in order of time; entries of closed streams are removed later.
    private var polls: Deque<(at: EngineInstant, ticket: SharingCore.Ticket)> = []

    /// Creates an empty set of streams; `max` limits their number.
    package init(max: Int) {
        self.limit = ConnectionLimit(connectionsMax: max)
    }

    /// The number of open streams.
    package var count: Int { self.open.count }

    /// When to call ``pollsDue(now:)``; nil while no stream is open.
    var nextPoll: EngineInstant? { self.polls.first?.at }

    /// Returns the streams about a request.
    func about(_ request: RequestID) -> [SharingCore.Ticket] { self.readers[request] ?? [] }

    /// All streams, in the order of their next read.
    var all: [SharingCore.Ticket] { self.polls.map(\.ticket).filter { self.open[$0] != nil } }

    /// Returns the live share that a stream shows; nil for a stream of another kind.
    func liveShare(of ticket: SharingCore.Ticket) -> RequestID? {
        self.open[ticket].flatMap { $0.kind == .updates ? $0.permit.request : nil }
    }

    /// Opens a stream unless too many are open; ``woken(_:)`` starts its first read of the store.
    mutating func opened(
        _ ticket: SharingCore.Ticket,
        _ kind: Kind,
        _ permit: ReadPermit,
        about sharer: PublicIdentity,
        _ trust: ConnectionTrust,
        from address: AddressBlock,
        now: EngineInstant
    ) -> OnOpened {
        guard self.ofRequester[permit.requester, default: 0] < Self.ofRequesterMax,
            self.ofSharer[sharer, default: 0] < Self.ofSharerMax
        else { return .refuse(.count) }
        let action: OnOpened
        switch self.limit.arrived(ticket, from: address, trust: trust) {
        case .admit: action = .admit
        case .replace(let stranger): action = .replace(stranger)
        case .refuseAddress: return .refuse(.address)
        case .refuse: return .refuse(.places)
        }
        self.open[ticket] = Stream(kind: kind, permit: permit, sharer: sharer)
        self.readers[permit.request, default: []].append(ticket)
        self.ofRequester[permit.requester, default: 0] += 1
        self.ofSharer[sharer, default: 0] += 1
        // Remove entries of closed streams, which could otherwise fill the memory.
        if self.polls.count > 2 * self.limit.connectionsMax {
            self.polls.removeAll { self.open[$0.ticket] == nil }
        }
        self.polls.append((at: now.advanced(by: Self.pollInterval), ticket: ticket))
        return action
    }

    /// Records that the request or live share of a stream may have changed.
    ///
    /// - Returns: the read to perform; nil while another read or a message is in progress.
    mutating func woken(_ ticket: SharingCore.Ticket) -> SharingCore.Query? {
        guard let stream = self.open[ticket] else { return nil }
        guard !stream.isBusy else {
            self.open[ticket]?.isStale = true
            return nil
        }
        self.open[ticket]?.isBusy = true
        self.open[ticket]?.isStale = false
        return .look(ticket, stream.kind, stream.permit)
    }

    /// Records the result of a read for a stream, and the newest update of a live share.
    ///
    /// - Returns: the message to send; nil when the stream was closed meanwhile.
    mutating func looked(
        _ ticket: SharingCore.Ticket,
        at look: Look,
        _ newest: UpdateBoard.Shown?
    ) -> (message: Message, isLast: Bool)? {
        guard let told = self.open[ticket]?.told else { return nil }
        switch look {
        case .states(let record):
            let history = record?.life.history ?? []
            self.open[ticket]?.told = UInt64(history.count)
            let states = history.dropFirst(Int(told)).map { state in
                State(state: state, answer: state.kind == .answered ? record?.answer : nil)
            }
            return (.states(states), isLast: record?.life.deadline == nil)
        case .updates(.goesOn):
            guard let newest, newest.place != told else { return (.update(nil), isLast: false) }
            self.open[ticket]?.told = newest.place
            return (.update(newest.update), isLast: false)
        case .updates(.ended(let reason, let statement)): return (.ended(reason, statement: statement), isLast: true)
        case .updates(.unknown): return (.update(nil), isLast: true)
        }
    }

    /// Records that a message reached its reader.
    ///
    /// - Returns: the read to perform, if the request or live share may have changed meanwhile.
    mutating func told(_ ticket: SharingCore.Ticket) -> SharingCore.Query? {
        self.open[ticket]?.isBusy = false
        return self.open[ticket]?.isStale == true ? self.woken(ticket) : nil
    }

    /// Returns the streams that must read the store now, and schedules their next read.
    mutating func pollsDue(now: EngineInstant) -> [SharingCore.Ticket] {
        var due: [SharingCore.Ticket] = []
        while let poll = self.polls.first, poll.at <= now {
            self.polls.removeFirst()
            if self.open[poll.ticket] != nil { due.append(poll.ticket) }
        }
        self.polls += due.map { (at: now.advanced(by: Self.pollInterval), ticket: $0) }
        return due
    }

    /// Removes a stream.
    ///
    /// - Returns: the stream's request and kind; nil when the stream is not open.
    mutating func closed(_ ticket: SharingCore.Ticket) -> (request: RequestID, kind: Kind)? {
        guard let stream = self.open.removeValue(forKey: ticket) else { return nil }
        let (request, requester) = (stream.permit.request, stream.permit.requester)
        self.limit.left(ticket)
        self.readers[request]?.removeAll { $0 == ticket }
        if self.readers[request]?.isEmpty == true { self.readers[request] = nil }
        Self.takeOne(from: &self.ofRequester, requester)
        Self.takeOne(from: &self.ofSharer, stream.sharer)
        return (request, stream.kind)
    }

    private static func takeOne(from counts: inout [PublicIdentity: Int], _ key: PublicIdentity) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
