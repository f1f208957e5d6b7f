internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides which pushes go to Apple with the vendor's key, for whom, and how many (ADR 0076).
///
/// A push arrives for an app of the vendor, with a token that this gateway did not issue. The sender's account of the day says
/// how many it sent; the count grows on disk before the push goes out, and again when Apple has answered. Between the
/// two, only memory holds the push: if the gateway is killed meanwhile, the account says that the outcome is unknown.
public struct Relay: Sendable, Hashable {
    /// The most pushes of one sender in progress.
    ///
    /// Source: our choice; a tenth of what one connection to Apple carries, so that ten senders fit beside each other.
    public static let underWayMax = 100
    /// The number of a sender's pushes whose outcomes are remembered.
    static let endsRemembered = 100
    /// The mistakes among them at which it waits.
    static let mistakesMax = 50
    /// How long the sender waits then.
    ///
    /// Source: our choice, ADR 0076; Apple receives a sender's mistakes in bursts of 50, 24 times a day at most.
    public static let wait = Duration.seconds(3600)
    /// The time after which a sender's next check is not a mistake.
    ///
    /// Source: our choice, ADR 0076; monitors look each minute.
    static let checkPause = Duration.seconds(60)
    /// How long a push may take to Apple and back, the opening of a connection included.
    ///
    /// Less than ``ProviderConnection/endingTimeout``, so that a gateway that stops still answers all of them.
    public static let timeout = Duration.seconds(4)

    /// A push between its going out and its end.
    private struct Flight: Sendable, Hashable {
        let sender: Sender.Name
        /// The day it is counted on, also when it ends on the next.
        let day: AccountDay
        let topic: String
        /// Whether it uses a token of no device, to check the path.
        let isCheck: Bool
    }

    /// The relayed apps; empty: it relays nothing.
    public let apps: Set<String>
    /// Apple's latest verdict on the key of each app since the start.
    private var standings: [String: VendorKeyState] = [:]
    private var conducts: [Sender.Name: SenderConduct] = [:]
    private var flights: [PushID: Flight] = [:]
    /// The pushes since the last commit, which may not have been sent.
    private var uncommitted: [PushID] = []

    /// Creates a relay for the location pushes of these apps; without any, it relays nothing.
    init(apps: Set<String>) {
        self.apps = apps
    }

    /// The route of a push whose device token this gateway did not issue.
    enum Way: Sendable, Hashable {
        /// To Apple, if nothing is wrong with it, for this sender.
        case send(Sender)
        /// Not sent: answer with this.
        case refuse(RelayRefusal)
        /// Not for the relay: answer as a gateway without a relay.
        case ignore
    }

    /// Returns the route of a push by its topic: location pushes of the vendor's apps are forwarded for senders, and no
    /// others.
    ///
    /// A provider that is no sender learns of the relay where a sender's push would have gone on, and nowhere else: its own pushes
    /// are for devices of this gateway.
    func way(of topic: String, from sender: Sender?) -> Way {
        guard !self.apps.isEmpty else { return .ignore }
        let isRelayed = PushType.location.bundleIdentifier(of: topic).map(self.apps.contains) ?? false
        guard let sender else { return isRelayed ? .refuse(.noSender) : .ignore }
        return isRelayed ? .send(sender) : .refuse(.notRelayed)
    }

    /// Whether the sender is not in memory, so that its wait must be read from disk.
    func isNew(_ sender: Sender.Name) -> Bool { self.conducts[sender] == nil }

    /// Records until when a sender waits, as an earlier process wrote it down.
    mutating func recall(_ sender: Sender.Name, waitsUntil end: WallTime, now: Now) {
        guard self.isNew(sender), let rest = Self.rest(until: end, now: now.wall) else { return }
        self.conducts[sender] = SenderConduct(waitingUntil: now.monotonic.advanced(by: rest))
    }

    /// The rest of a wait by its end on disk; nil: it is over.
    ///
    /// The calendar may have been set back since: no rest is longer than the whole.
    private static func rest(until end: WallTime, now: WallTime) -> Duration? {
        now < end ? min(now.duration(to: end), self.wait) : nil
    }

    /// Returns why a push is not sent; nil: it may be.
    func refusal(of push: ValidPush, from sender: Sender, sentToday: Int, now: EngineInstant) -> RelayRefusal? {
        guard SealedPayload.isSealed(push.payload) else { return .notSealed }
        guard push.collapseID == nil else { return .named }
        if let refusal = self.conducts[sender.name]?.refusal(now: now) { return refusal }
        return sentToday < sender.pushesADay ? nil : .dayIsFull
    }

    /// Records that a push is sent after its count is on disk.
    mutating func sent(_ id: PushID, _ push: ValidPush, for sender: Sender.Name, on day: AccountDay) {
        self.conducts[sender, default: SenderConduct()].pushSent()
        self.flights[id] = Flight(sender: sender, day: day, topic: push.topic, isCheck: push.token == .ofNobody)
        self.uncommitted.append(id)
    }

    /// The sender and the day of a push in progress; nil: it is not in progress.
    func flight(_ id: PushID) -> (sender: Sender.Name, day: AccountDay)? {
        self.flights[id].map { ($0.sender, $0.day) }
    }

    /// Records the end of a push.
    ///
    /// - Returns: whether its sender waits from now on.
    mutating func ended(_ id: PushID, _ end: RelayEnd, now: Now) -> Bool {
        if let app = self.flights[id].flatMap({ PushType.location.bundleIdentifier(of: $0.topic) }) {
            self.standings[app] = VendorKeyState(end, at: now.wall)
        }
        if case .unsent = end {
            self.forget(id)
            return false
        }
        guard let flight = self.flights.removeValue(forKey: id) else { return false }
        let isCheck = flight.isCheck
        switch self.conducts[flight.sender]?.pushEnded(isMistake: end.isMistake, isCheck: isCheck, now: now.monotonic) {
        case .noteWait: return true
        case .ignore, nil: return false
        }
    }

    /// Returns whether the sender of a push in progress must wait after its outcome.
    func willWait(_ id: PushID, _ end: RelayEnd, now: EngineInstant) -> Bool {
        guard end.isMistake, let flight = self.flights[id] else { return false }
        var copy = self.conducts[flight.sender]
        return copy?.pushEnded(isMistake: true, isCheck: flight.isCheck, now: now) == .noteWait
    }

    /// Records that a push did not go out, or that its end could not be written.
    mutating func forget(_ id: PushID) {
        guard let flight = self.flights.removeValue(forKey: id) else { return }
        self.conducts[flight.sender]?.pushForgotten()
    }

    mutating func committed() {
        self.uncommitted.removeAll(keepingCapacity: true)
    }

    mutating func commitFailed() {
        for id in self.uncommitted { self.forget(id) }
        self.uncommitted = []
    }

    // MARK: For those who ask

    /// The number of pushes in progress.
    public var underWay: Int { self.flights.count }

    /// Returns Apple's latest verdict on the vendor's key for an app; nil: none since the start.
    public func standing(of app: String) -> VendorKeyState? { self.standings[app] }

    /// Returns the number of a sender's pushes in progress.
    public func underWay(of sender: Sender.Name) -> Int { self.conducts[sender]?.underWay ?? 0 }

    /// Returns how long a sender waits for its mistakes; nil: it does not.
    ///
    /// - Parameters:
    ///   - sender: the sender.
    ///   - store: where an earlier process may have written it down.
    ///   - now: the time.
    /// - Returns: the rest of its wait.
    /// - Throws: the store's errors.
    public func waits(_ sender: Sender.Name, _ store: any PushStoreTransaction, now: Now) throws -> Duration? {
        if let conduct = self.conducts[sender] { return conduct.waits(now: now.monotonic) }
        return try store.waitEnd(of: sender).flatMap { Self.rest(until: $0, now: now.wall) }
    }
}
