internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides which senders' pushes are sent to Apple with the vendor's key, and how many (ADR 0076).
///
/// Such a push is for an app of the vendor, with a token that this gateway did not issue. The sender's account for the day counts
/// the push on disk before it is sent, and its outcome after Apple has answered. In between, the push is only in memory: if
/// the gateway is killed meanwhile, the account shows the push as unanswered.
public struct Relay: Sendable, Hashable {
    /// The maximum number of pushes of one sender in progress.
    ///
    /// Source: our choice; a tenth of the streams of a connection to Apple, so that ten senders can share it.
    public static let underWayMax = 100
    /// The number of a sender's latest outcomes among which mistakes are counted.
    static let endsRemembered = 100
    /// The number of mistakes among them after which the sender must wait.
    static let mistakesMax = 50
    /// How long the sender must wait.
    ///
    /// Source: our choice, ADR 0076; Apple gets a sender's mistakes in bursts of 50, at most 24 times a day.
    public static let wait = Duration.seconds(3600)
    /// The time after which a sender's next check is not a mistake.
    ///
    /// Source: our choice, ADR 0076; monitors check once a minute.
    static let checkPause = Duration.seconds(60)
    /// The time limit of a push to Apple, including the opening of a connection.
    ///
    /// It is less than ``ProviderConnection/endingTimeout``, so that a gateway that stops answers all relayed pushes.
    public static let timeout = Duration.seconds(4)

    /// A push that was sent and has no outcome yet.
    private struct Flight: Sendable, Hashable {
        let sender: Sender.Name
        /// The day on which the push was counted, even if its outcome arrives on the next day.
        let day: AccountDay
        let topic: String
        /// Whether the push has the token of no device, to check the path to Apple.
        let isCheck: Bool
    }

    /// The relayed apps; empty: nothing is relayed.
    public let apps: Set<String>
    /// Apple's latest verdict on the key of each app since the start.
    private var standings: [String: VendorKeyState] = [:]
    private var conducts: [Sender.Name: SenderConduct] = [:]
    private var flights: [PushID: Flight] = [:]
    /// The pushes since the last commit, which will not be sent if the commit fails.
    private var uncommitted: [PushID] = []

    /// Creates a relay for the location pushes of these apps; without any, it relays nothing.
    init(apps: Set<String>) {
        self.apps = apps
    }

    /// The route of a push whose device token this gateway did not issue.
    enum Way: Sendable, Hashable {
        /// Send it to Apple for this sender, unless ``refusal(of:from:sentToday:now:)`` finds a reason not to.
        case send(Sender)
        /// Answer with this refusal.
        case refuse(RelayRefusal)
        /// Answer as a gateway without a relay.
        case ignore
    }

    /// Returns the route of a push by its topic: only location pushes for the vendor's apps are relayed, and only for
    /// senders.
    ///
    /// For a provider that is no sender, an answer mentions the relay only if the push is for a relayed app. Its other pushes are
    /// for devices of this gateway.
    func way(of topic: String, from sender: Sender?) -> Way {
        guard !self.apps.isEmpty else { return .ignore }
        let isRelayed = PushType.location.bundleIdentifier(of: topic).map(self.apps.contains) ?? false
        guard let sender else { return isRelayed ? .refuse(.noSender) : .ignore }
        return isRelayed ? .send(sender) : .refuse(.notRelayed)
    }

    /// Whether the sender is not in memory, so that its wait must be read from disk.
    func isNew(_ sender: Sender.Name) -> Bool { self.conducts[sender] == nil }

    /// Restores a sender's wait that an earlier process stored.
    mutating func recall(_ sender: Sender.Name, waitsUntil end: WallTime, now: Now) {
        guard self.isNew(sender), let rest = Self.rest(until: end, now: now.wall) else { return }
        self.conducts[sender] = SenderConduct(waitingUntil: now.monotonic.advanced(by: rest))
    }

    /// Returns the rest of a stored wait; nil if it has ended.
    ///
    /// The rest is at most the whole wait, because the clock may have been set back meanwhile.
    private static func rest(until end: WallTime, now: WallTime) -> Duration? {
        now < end ? min(now.duration(to: end), self.wait) : nil
    }

    /// Returns why a push must not be sent; nil if it may be sent.
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

    /// The sender and the day of a push in progress; nil if the push is not in progress.
    func flight(_ id: PushID) -> (sender: Sender.Name, day: AccountDay)? {
        self.flights[id].map { ($0.sender, $0.day) }
    }

    /// Records the end of a push.
    ///
    /// - Returns: whether the sender must wait from now on.
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

    /// Records that a push was not sent, or that its outcome could not be stored.
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

    /// Returns Apple's latest verdict on the vendor's key for an app; nil if there is none since the start.
    public func standing(of app: String) -> VendorKeyState? { self.standings[app] }

    /// Returns the number of a sender's pushes in progress.
    public func underWay(of sender: Sender.Name) -> Int { self.conducts[sender]?.underWay ?? 0 }

    /// Returns how long a sender must wait because of its mistakes; nil if it need not wait.
    ///
    /// - Parameters:
    ///   - sender: the sender.
    ///   - store: the store, in which an earlier process may have recorded a wait.
    ///   - now: the time.
    /// - Returns: the rest of the sender's wait.
    /// - Throws: the store's errors.
    public func waits(_ sender: Sender.Name, _ store: any PushStoreTransaction, now: Now) throws -> Duration? {
        if let conduct = self.conducts[sender] { return conduct.waits(now: now.monotonic) }
        return try store.waitEnd(of: sender).flatMap { Self.rest(until: $0, now: now.wall) }
    }
}
