internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The push service in a test: hands out tokens, delivers pushes, and records the outcome of each one.
///
/// The real gateway's ``PushEngine/DeviceQueue`` decides which push is kept, replaced or delivered.
final class VirtualGateway {
    struct Sent {
        let push: Push
        /// Whether the payload has the keys of another server.
        var isMisspelled = false
        var outcome: PushOutcome
        var received: Int64?
    }

    private(set) var isReachable = true
    private(set) var sent: [PushID: Sent] = [:]
    private var queue = DeviceQueue(stored: [])
    /// Whether the queue was notified of a link that is open.
    private var isLinked = false
    private var enabled: [BundleID] = []
    private var tokens: [BundleID: [UInt8]] = [:]
    private var waitingForToken: [BundleID] = []
    /// The apps whose token was given back while the device could not reach the gateway.
    private var givenBack: [BundleID] = []
    /// The pushes that wait until low power mode is off.
    private var waitingForPower: [PushID] = []
    /// Whether low power mode is on.
    private(set) var savesPower = false
    /// The fate that a story gives to all pushes that are sent now; nil: each push has the fate that the test gave it.
    var weather: LocationPush.Fate?
    private var counter: UInt64
    private let time: DeviceTime
    private let timeline: Timeline
    private let service: LocationService

    init(_ context: DeviceContext, _ service: LocationService, number: Int) {
        (self.time, self.timeline, self.service) = (context.time, context.timeline, service)
        // Start at the device's number, so that devices have different tokens and pushes.
        self.counter = UInt64(number) << 32
    }

    // MARK: Messages of the device

    func register(_ bundle: BundleID) {
        guard self.isReachable else { return self.waitingForToken.append(bundle) }
        let token = self.tokens[bundle] ?? self.makeToken(bundle)
        self.tokens[bundle] = token
        self.service.feed(.pushTokenReceived(bundle, token))
    }

    /// Makes a token as long as Apple's usual ones; it is the same in every run.
    private func makeToken(_ bundle: BundleID) -> [UInt8] {
        self.counter += 1
        var token = Array(bundle.rawValue.utf8.prefix(24))
        token += (0..<8).map { UInt8(truncatingIfNeeded: self.counter >> (8 * $0)) }
        return token + Array(repeating: 0, count: 32 - token.count)
    }

    func token(of bundle: BundleID) -> [UInt8]? { self.tokens[bundle] }

    func bundle(of token: [UInt8]) -> BundleID? { self.tokens.first { $0.value == token }?.key }

    func unregister(_ bundle: BundleID) {
        self.waitingForToken.removeAll { $0 == bundle }
        guard self.isReachable else { return self.givenBack.append(bundle) }
        self.tokens[bundle] = nil
        self.feed(.topicUnregistered(Self.topic(of: bundle)))
        // Scheduled, because the effects of another input may be in progress.
        self.time.schedule(after: .zero) { [unowned self] in self.service.feed(.topicUnregistered(bundle)) }
    }

    func enable(_ topics: [BundleID]) {
        self.enabled = topics
        // Scheduled, because the effects of another input may be in progress.
        self.time.schedule(after: .zero) { [unowned self] in self.announce() }
    }

    /// The location service and its connection ended; a new service sends its subscriptions again.
    func serviceEnded() {
        self.enabled = []
        self.waitingForToken = []
        self.loseLink()
    }

    private func announce() {
        guard self.isReachable, self.service.isServing else { return }
        if !self.isLinked { self.feed(.linkOpened) }
        self.isLinked = true
        // Like a real gateway, send no pushes for an app whose identifier is too long for a topic.
        let topics = self.enabled.map(Self.topic).filter { TopicList([$0]) != nil }.prefix(TokenDecision.topicsMax)
        self.feed(.topicsEnabled(TopicList(Array(topics)) ?? .empty))
    }

    private func loseLink() {
        self.isLinked = false
        self.feed(.linkClosed)
    }

    /// Switches low power mode; when it ends, the pushes arrive that it held back.
    func switchLowPowerMode(on: Bool) {
        guard self.service.isOn("low power mode was to be switched"), on != self.savesPower else { return }
        self.timeline.add(.event, "person", "switches low power mode \(on ? "on" : "off")")
        self.savesPower = on
        guard !on else { return }
        let waiting = self.waitingForPower
        self.waitingForPower = []
        for id in waiting { self.deliver(id) }
    }

    /// Gives every app a new token, as Apple does after a restore; an app receives its token when it requests one again.
    func changeTokens() {
        for bundle in self.tokens.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let token = self.makeToken(bundle)
            self.tokens[bundle] = token
            self.service.feed(.pushTokenReceived(bundle, token))
        }
        self.timeline.add(.event, "pushes", "every app has a new token; the old ones are unknown")
    }

    func misspell(_ id: PushID) { self.sent[id]?.isMisspelled = true }

    // MARK: The network and the senders

    func switchNetwork(on: Bool) {
        guard on != self.isReachable else { return }
        self.isReachable = on
        self.timeline.add(.event, "person", on ? "switches airplane mode off" : "switches airplane mode on")
        guard on else { return self.loseLink() }
        for bundle in self.givenBack { self.unregister(bundle) }
        self.givenBack = []
        let waiting = self.waitingForToken
        self.waitingForToken = []
        for bundle in waiting { self.register(bundle) }
        self.announce()
    }

    /// Sends a push, and plans its arrival according to its fate.
    @discardableResult
    func send(
        _ payload: [UInt8],
        to bundle: BundleID,
        _ fate: LocationPush.Fate,
        _ priority: LocationPush.Priority,
        expiration: WallTime?
    ) -> PushID {
        let id = self.makePush(payload, to: bundle, priority.onDevice, expiration: expiration).id
        let fate = self.weather ?? fate
        self.timeline.add(.event, "pushes", "a push is sent to \(bundle)")
        if fate.copies == 0 { self.set(.lost, for: id) }
        for _ in 0..<fate.copies {
            self.time.schedule(after: fate.delay) { [unowned self] in self.deliver(id) }
        }
        return id
    }

    /// Delivers pushes for an app that is not installed, which spend the device's budget.
    func spendBudget() {
        for _ in 0..<self.budget {
            let push = self.makePush([0x7B, 0x7D], to: BundleID("another.app"), expiration: nil)
            self.service.feed(.pushArrived(push))
        }
    }

    /// The number of pushes that the device's budget allows now.
    var budget: Int { self.service.core.engine.snapshot(now: self.time.instant).pushesRemaining }

    private func makePush(
        _ payload: [UInt8],
        to bundle: BundleID,
        _ priority: Push.Priority = .immediate,
        expiration: WallTime?
    ) -> Push {
        self.counter += 1
        let id = PushID(high: 0, low: self.counter)
        let push = Push(
            id: id,
            bundle: bundle,
            payload: payload,
            priority: priority,
            expiration: expiration,
            received: self.time.instant
        )
        self.sent[id] = Sent(push: push, outcome: .underWay)
        return push
    }

    /// A push arrives at the gateway.
    private func deliver(_ id: PushID) {
        guard let push = self.sent[id]?.push else { return }
        guard self.tokens[push.bundle] != nil else {
            self.timeline.add(.event, "pushes", "the gateway refuses a push: \(push.bundle) has no token")
            return self.set(.unregistered, for: id)
        }
        guard push.priority == .immediate || !self.savesPower else {
            self.timeline.add(.decision, "pushes", "a push for \(push.bundle) waits: low power mode is on")
            return self.waitingForPower.append(id)
        }
        // A push without an expiration gets the maximum.
        let latest = self.time.trueTime.seconds + Limits.storageSecondsMax
        self.feed(
            .pushAdmitted(
                StoredPush(
                    id: id,
                    topic: Self.topic(of: push.bundle),
                    payload: push.payload,
                    priority: push.priority.apns,
                    expiration: .until(min(push.expiration?.seconds ?? latest, latest)),
                    collapseID: nil
                )
            )
        )
    }

    /// The device has stored a push.
    func acknowledged(_ id: PushID) { self.feed(.pushAcknowledged(id)) }

    private func feed(_ input: DeviceQueue.Input) {
        var admitted: PushID?
        if case .pushAdmitted(let push) = input { admitted = push.id }
        for effect in self.queue.handle(input, now: self.time.trueTime) {
            switch effect {
            case .store(let push):
                self.replaceKept(by: push.id)
                self.set(.kept, for: push.id)
            case .remove(let id): if self.sent[id]?.outcome == .kept { self.set(.dropped, for: id) }
            case .deliver(let push): self.reachDevice(push.id)
            case .note(.undeliverable): if let admitted { self.set(.dropped, for: admitted) }
            case .note(.replaced), .note(.expired), .note(.unregistered): break
            }
        }
    }

    private func replaceKept(by newest: PushID) {
        let bundle = self.sent[newest]?.push.bundle
        for (id, older) in self.sent where older.push.bundle == bundle && older.outcome == .kept && id != newest {
            self.set(.replaced, for: id)
        }
    }

    private func reachDevice(_ id: PushID) {
        guard var push = self.sent[id]?.push else { return }
        // The device does not read from its link now; the push waits in the network.
        guard self.service.core.readsGateway else {
            return self.time.schedule(after: .seconds(1)) { [unowned self] in self.reachDevice(id) }
        }
        self.sent[id]?.received = self.time.clock.now
        self.set(.underWay, for: id)
        push.received = self.time.instant
        self.timeline.add(.event, "pushes", "a push for \(push.bundle) reaches the device")
        self.service.feed(.pushArrived(push))
    }

    private static func topic(of bundle: BundleID) -> String {
        PushType.location.topic(bundleIdentifier: bundle.rawValue)
    }

    // MARK: Outcomes

    func decided(_ note: Note) {
        switch note {
        case .pushHanded(let id, _): self.set(.handed, for: id)
        case .pushCompleted(let id, _):
            let received = self.sent[id]?.received ?? self.time.clock.now
            self.set(.completed(after: .nanoseconds(self.time.clock.now - received)), for: id)
        case .pushRefused(let id, _, let reason): self.set(.refused(PushRefusal(reason)), for: id)
        case .extensionFailed(let bundle, _, _):
            for (id, sent) in self.sent where sent.push.bundle == bundle && sent.outcome == .handed {
                self.set(.abandoned, for: id)
            }
        default: break
        }
    }

    private func set(_ outcome: PushOutcome, for id: PushID) {
        self.sent[id]?.outcome = outcome
    }
}

extension PushRefusal {
    init(_ reason: Note.PushRefusal) {
        self =
            switch reason {
            case .malformed: .malformed
            case .notRegistered: .notRegistered
            case .budgetExhausted: .budgetExhausted
            case .shareExhausted: .shareExhausted
            case .expired: .expired
            case .notAuthorized: .notAuthorized
            case .provisional: .provisional
            case .noAlwaysSession: .noAlwaysSession
            case .notEntitled: .notEntitled
            case .tooManyWaiting: .tooManyWaiting
            case .heldBack: .heldBack
            }
    }
}
