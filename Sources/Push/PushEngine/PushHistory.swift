public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The life of the newest pushes that were accepted, from the provider's `apns-id` to the device's acknowledgement, or to Apple's
/// answer for those that the relay sent.
///
/// For an operator who is asked about one push. It is in memory alone, of a bounded number, and knows no token and no payload.
public struct PushHistory: Sendable {
    /// The most remembered pushes; the oldest is dropped for a new one.
    public static let pushesMax = 16_384
    /// How long a device may take to acknowledge a push for one attempt: round trips of a slow network, and an app's start.
    static let answerPatience = Duration.seconds(60)

    /// The history of one push; a time is nil until the event happens.
    public struct Life: Sendable, Hashable {
        /// The provider's name of it, as it was sent.
        public let apnsID: String
        /// The gateway's ID of the push.
        public let push: PushID
        /// The topic it is for.
        public let topic: String
        /// When the push was on disk, or was sent if it was for one attempt or for Apple.
        public let acceptedAt: WallTime
        /// Until when the push is stored.
        public let expiration: WallTime
        /// When the push was last sent to the device; nil for a relayed push.
        public fileprivate(set) var deliveredAt: WallTime?
        /// Its outcome; nil while it is stored.
        public fileprivate(set) var end: Ending?
        /// Whether the push was relayed, and not for one of our devices.
        public let isRelayed: Bool
        /// Whether it was stored; a push for one attempt is not.
        private let isKept: Bool

        /// Its present outcome, without a further event.
        ///
        /// A push that waits on disk for a disconnected device expires silently; a push for one attempt stays without an answer. A push
        /// that was sent in its time may be acknowledged until what is kept of it is removed.
        public func ending(now: WallTime) -> Ending? {
            if let end = self.end { return end }
            guard let deliveredAt = self.deliveredAt else { return self.expired(by: now) }
            let answerDue = deliveredAt.advanced(by: PushHistory.answerPatience)
            return !self.isKept && answerDue <= now ? Ending(.unanswered, at: answerDue) : nil
        }

        /// Its expiry as the outcome, if it was stored and expired.
        fileprivate func expired(by time: WallTime) -> Ending? {
            self.isKept && self.expiration <= time ? Ending(.expired, at: self.expiration) : nil
        }

        /// Its expiry as the outcome, if it had expired before its row was removed for another reason.
        ///
        /// A push must not show two outcomes.
        fileprivate func expired(before end: End, at time: WallTime) -> Ending? {
            switch end {
            case .replaced, .expired, .unregistered: self.expired(by: time)
            // The device has it, or it was never stored.
            case .acknowledged, .undeliverable, .relayed, .rejected, .unanswered, .unsent: nil
            }
        }

        fileprivate init(apnsID: String, push: StoredPush, at time: WallTime) {
            self.apnsID = apnsID
            self.push = push.id
            self.topic = push.topic
            self.acceptedAt = time
            self.isRelayed = false
            self.isKept = !push.isExpired(now: time)
            switch push.expiration {
            case .once: self.expiration = time
            case .until(let seconds): self.expiration = WallTime(seconds: seconds)
            }
        }

        /// The history of a push that goes to Apple at once; it does not wait or expire here.
        fileprivate init(apnsID: String, relayed push: PushID, topic: String, at time: WallTime) {
            self.apnsID = apnsID
            self.push = push
            self.topic = topic
            self.acceptedAt = time
            self.expiration = WallTime(microseconds: .max)
            self.isRelayed = true
            self.isKept = false
        }
    }

    /// How a push ended, and when.
    public struct Ending: Sendable, Hashable {
        /// How.
        public let end: End
        /// The time of the outcome.
        public let at: WallTime
        /// Apple's reason, or the expected one; for ``End/rejected`` and ``End/unsent``.
        public let reason: Reason?

        init(_ end: End, at time: WallTime, reason: Reason? = nil) {
            self.end = end
            self.at = time
            self.reason = reason
        }
    }

    /// A fact about a push.
    enum Event: Sendable, Hashable {
        /// The push was accepted, under the provider's ID.
        case accepted(StoredPush, apnsID: String)
        /// The push was sent to its device.
        case delivered(PushID)
        case relayed(PushID, apnsID: String, topic: String)
        /// The push is no longer stored; the reason is Apple's, if the relay sent it.
        case ended(PushID, End, Reason? = nil)
        /// The device has the push, which is no longer stored.
        case acknowledged(PushID)
        /// The expired pushes were removed.
        case swept
    }

    /// The ends of a push.
    public enum End: String, Sendable, Hashable, CaseIterable {
        /// The device has it safe.
        case acknowledged
        /// A newer push for its topic replaced it.
        case replaced
        case expired
        /// The push was for one attempt, and the device was away or did not want its topic.
        case undeliverable
        /// The device gave its topic's token up.
        case unregistered
        case relayed
        /// Apple rejected it.
        case rejected
        /// Apple did not answer, or the device did not acknowledge a push for one attempt; it may have been accepted.
        case unanswered
        /// The push never reached Apple.
        case unsent
    }

    private var lives: [Life] = []
    /// The place of the oldest, once there are as many as there may be.
    private var oldest = 0
    private var places: [PushID: Int] = [:]

    /// Creates a history of nothing.
    init() {}

    /// Returns the lives of the pushes with an `apns-id`, in either case, the oldest first; providers may repeat one.
    public func lives(ofAPNSID id: String) -> [Life] {
        let id = id.lowercased()
        return (self.lives[self.oldest...] + self.lives[..<self.oldest]).filter { $0.apnsID.lowercased() == id }
    }

    /// Returns whether a push is remembered, went out to its device, and has no end.
    func awaitsItsDevice(_ push: PushID) -> Bool {
        self.places[push].map { self.lives[$0].end == nil && self.lives[$0].deliveredAt != nil } ?? false
    }

    /// Returns when a push was accepted; nil when that is not remembered.
    func acceptedAt(_ push: PushID) -> WallTime? { self.places[push].map { self.lives[$0].acceptedAt } }

    mutating func happened(_ event: Event, at time: WallTime) {
        switch event {
        case .accepted(let push, let apnsID): self.add(Life(apnsID: apnsID, push: push, at: time))
        case .delivered(let push):
            guard let place = self.places[push] else { return }
            self.lives[place].deliveredAt = time
        case .relayed(let push, let apnsID, let topic):
            self.add(Life(apnsID: apnsID, relayed: push, topic: topic, at: time))
        case .acknowledged(let push):
            if self.awaitsItsDevice(push) { self.happened(.ended(push, .acknowledged), at: time) }
        case .swept:
            for place in self.lives.indices where self.lives[place].end == nil {
                self.lives[place].end = self.lives[place].expired(by: time)
            }
        case .ended(let push, let end, let reason):
            guard let place = self.places[push], self.lives[place].end == nil else { return }
            self.lives[place].end =
                self.lives[place].expired(before: end, at: time) ?? Ending(end, at: time, reason: reason)
        }
    }

    private mutating func add(_ life: Life) {
        guard self.lives.count == Self.pushesMax else {
            self.places[life.push] = self.lives.count
            self.lives.append(life)
            return
        }
        self.places[self.lives[self.oldest].push] = nil
        self.places[life.push] = self.oldest
        self.lives[self.oldest] = life
        self.oldest = (self.oldest + 1) % Self.pushesMax
    }
}
