internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// One run of a scenario: the whole system in virtual time, in one thread, from one seed.
package final class Simulation {
    let scenario: Scenario
    private(set) var now = Instant.start
    package internal(set) var trace: Trace
    var census: Census
    var network: Network
    private(set) lazy var gateway = GatewayNode(self)
    private(set) lazy var server = ServerNode(self)
    private(set) lazy var devices = self.scenario.devices.indices.map { DeviceNode($0, self) }
    private(set) lazy var requesters = self.scenario.requesters.indices.map { RequesterNode($0, self) }
    private(set) lazy var strangers = StrangerNode(self)
    private(set) lazy var relay = RelayNode(self)
    private(set) lazy var sender = SenderNode(self)
    private(set) lazy var auditors = Auditors(self)
    private(set) var violation: Violation?
    /// Whether objections end the run; a test that acts in the world itself sets this to false.
    var isAudited = true
    /// The devices that are silent forever.
    var lost: Set<Int> = []
    /// The backup that each person made last, by their first device.
    var backups: [Int: [BundleID: DeviceAuditor.Backup]] = [:]
    /// How many profiles were restored from a backup.
    var restored: UInt64 = 0
    private var setClocks: Set<NodeID> = []
    private var fullDisks: Set<NodeID> = []
    private var events = EventHeap<Instant, () -> Void>()
    private var links: UInt64 = 0
    private var tickets: UInt64 = 0
    private var numbers: [RequestID: UInt64] = [:]

    /// The time a machine that died stays down.
    let restartPause = Duration.seconds(2)

    init(_ scenario: Scenario, keepsLines: Bool, takesCensus: Bool) {
        self.scenario = scenario
        self.trace = Trace(keepsLines: keepsLines)
        self.census = Census(isTaken: takesCensus)
        self.network = Network(seed: scenario.seed)
    }

    /// Whether only strangers and liars can disturb an honest request.
    private(set) lazy var isCalm = self.scenario.isCalm

    /// Whether a disk is rolled back, so that the history of disks is kept.
    private(set) lazy var rollsBack = self.scenario.acts.contains {
        switch $0.what {
        case .rollBack, .exchangeSnapshot: true
        default: false
        }
    }

    /// Whether the server drops messages of devices that it confirmed, so that apps have to send them again.
    private(set) lazy var withholds = self.scenario.acts.contains {
        if case .serverLies(.withholds, _) = $0.what { true } else { false }
    }

    /// All machines, always in this order.
    var nodes: [Node] {
        [self.gateway, self.server] + self.devices + self.requesters + [self.strangers]
            + (self.scenario.relay == nil ? [] : [self.relay, self.sender])
    }

    var heals: Instant { Instant(microseconds: Int64(self.scenario.healsAt) * 1_000_000) }

    func node(_ id: NodeID) -> Node? {
        switch id {
        case .gateway: self.gateway
        case .server: self.server
        case .device(let index): self.devices.indices.contains(index) ? self.devices[index] : nil
        case .requester(let index): self.requesters.indices.contains(index) ? self.requesters[index] : nil
        case .stranger: self.strangers
        case .relay: self.scenario.relay == nil ? nil : self.relay
        case .sender: self.scenario.relay == nil ? nil : self.sender
        }
    }

    func nextLink() -> LinkID {
        self.links += 1
        return LinkID(self.links)
    }

    func nextTicket() -> UInt64 {
        self.tickets += 1
        return self.tickets
    }

    /// A short name of a request, for people.
    func number(of request: RequestID) -> UInt64 {
        if let number = self.numbers[request] { return number }
        self.numbers[request] = UInt64(self.numbers.count + 1)
        return UInt64(self.numbers.count)
    }

    func clockWasSet(_ node: NodeID) { self.setClocks.insert(node) }

    /// Whether a machine's clock was ever wrong.
    func hadWrongClock(_ node: NodeID) -> Bool { self.setClocks.contains(node) }

    func diskWasFull(_ node: NodeID) { self.fullDisks.insert(node) }

    func hadFullDisk(_ node: NodeID) -> Bool { self.fullDisks.contains(node) }

    // MARK: Time

    /// Plans an event; events at the same time happen in the order in which they were planned.
    func later(_ delay: Duration, _ happen: @escaping () -> Void) {
        // Round up to the clock's microsecond: a timer that fires too early would be set again, to the same microsecond, endlessly.
        let whole = Duration.microseconds(delay.microseconds)
        let due = whole < delay ? whole + .microseconds(1) : whole
        self.events.insert(happen, at: self.now.advanced(by: max(due, .zero)))
    }

    /// Runs until the end, or until an auditor objects.
    func run(until end: Instant) {
        while self.violation == nil, let (time, happen) = self.events.removeNext(by: end) {
            self.now = time
            happen()
        }
        if self.violation == nil { self.now = max(self.now, end) }
    }

    /// Records a violation; the run ends.
    func fail(_ what: String) {
        guard self.isAudited, self.violation == nil else { return }
        self.violation = Violation(what: what, instant: self.now)
    }

    // MARK: Messages

    /// Sends another machine a request over HTTP.
    ///
    /// - Parameters:
    ///   - from: the caller.
    ///   - to: the machine that is called.
    ///   - timeout: the time the caller waits.
    ///   - handle: the called machine's work, done each time the call arrives.
    ///   - then: receives the first answer, or why there is none; exactly once.
    func call<Reply>(
        from: NodeID,
        to: Node,
        timeout: Duration,
        handle: @escaping () throws -> Reply,
        then: @escaping (Result<Reply, NetworkError>) -> Void
    ) {
        var isOver = false
        func finish(_ result: Result<Reply, NetworkError>) {
            guard !isOver else { return }
            isOver = true
            then(result)
        }
        let (there, back) = (Network.Way(from: from, to: to.id), Network.Way(from: to.id, to: from))
        self.later(timeout) { finish(.failure(.timeout)) }
        for delay in self.network.arrivals(on: there, now: self.now) {
            self.later(delay + to.slowness) { [unowned self, unowned to] in
                guard to.isUp else {
                    for delay in self.network.arrivals(on: back, now: self.now) {
                        self.later(delay) { finish(.failure(.refused)) }
                    }
                    return
                }
                var reply: Reply?
                to.perform { reply = try handle() }
                guard let reply, to.isUp else { return }
                for delay in self.network.arrivals(on: back, now: self.now) {
                    self.later(delay) { finish(.success(reply)) }
                }
            }
        }
    }
}

/// A broken rule, as an auditor found it.
package struct Violation: Sendable, Hashable {
    /// The rule and how it was broken.
    package var what: String
    package var instant: Instant
}
