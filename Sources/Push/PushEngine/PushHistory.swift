public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The histories of the newest accepted pushes, from the provider's `apns-id` to the device's acknowledgement, or to Apple's
/// answer for relayed pushes.
///
/// It lets an operator answer a question about one push. It is kept only in memory, is limited in size, and has no token or payload.
public struct PushHistory: Sendable {
    /// The maximum number of stored histories; beyond this, a new one replaces the oldest.
    public static let pushesMax = 16_384
    /// How long a device may take to acknowledge a push for one attempt: enough for a slow network and the start of an app.
    static let answerPatience = Duration.seconds(60)

    /// The history of one push; a time is nil until the event happens.
    public struct Life: Sendable, Hashable {
        /// The provider's ID of the push, unchanged.
        public let apnsID: String
        /// The gateway's ID of the push.
        public let push: PushID
        /// The topic of the push.
        public let topic: String
        /// When the push was on disk, or was sent if it was for one attempt or for Apple.
        public let acceptedAt: WallTime
        /// Until when the push is stored.
        public let expiration: WallTime
        /// When the push was last sent to the device; nil for a relayed push.
        public fileprivate(set) var deliveredAt: WallTime?
        /// The recorded outcome; nil if there is none so far.
        public fileprivate(set) var end: Ending?
        /// Whether the push was relayed, and not for one of our devices.
        public let isRelayed: Bool
        /// Whether the push was stored; a push for one attempt is not.
        private let isKept: Bool

        /// The outcome of the push at this time.
        ///
        /// A push that waits for a disconnected device expires without an event, and a push for one attempt may stay unanswered. A stored
        /// push that was sent before it expired can be acknowledged until the store removes it.
        public func ending(now: WallTime) -> Ending? {
            if let end = self.end { return end }
            guard let deliveredAt = self.deliveredAt else { return self.expired(by: now) }
            let answerDue = deliveredAt.advanced(by: PushHistory.answerPatience)
            return !self.isKept && answerDue <= now ? Ending(.unanswered, at: answerDue) : nil
        }

        /// Returns the expiry as the outcome, if the push was stored and has expired.
        fileprivate func expired(by time: WallTime) -> Ending? {
            self.isKept && self.expiration <= time ? Ending(.expired, at: self.expiration) : nil
        }

        /// Returns the expiry as the outcome, if the push had expired before it was removed for another reason.
        ///
        /// Otherwise a push could be shown with two different outcomes.
        fileprivate func expired(before end: End, at time: WallTime) -> Ending? {
            switch end {
            case .replaced, .expired, .unregistered: self.expired(by: time)
            // The device has stored the push, or the push was never stored here.
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

        /// Creates the history of a relayed push, which does not wait or expire here.
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
        /// Apple's reason for ``End/rejected``, or the reason that Apple would have given for ``End/unsent``.
        public let reason: Reason?

        init(_ end: End, at time: WallTime, reason: Reason? = nil) {
            self.end = end
            self.at = time
            self.reason = reason
        }
    }

    /// An event in the history of pushes.
    enum Event: Sendable, Hashable {
        /// The push was accepted, under the provider's ID.
        case accepted(StoredPush, apnsID: String)
        /// The push was sent to its device.
        case delivered(PushID)
        case relayed(PushID, apnsID: String, topic: String)
        /// The push is no longer stored; the reason is Apple's, if the relay sent it.
        case ended(PushID, End, Reason? = nil)
        /// The device acknowledged a push that is not stored.
        case acknowledged(PushID)
        /// The expired pushes were removed.
        case swept
    }

    /// The outcomes of a push.
    public enum End: String, Sendable, Hashable, CaseIterable {
        /// The device has stored the push.
        case acknowledged
        /// A newer push for its topic replaced it.
        case replaced
        case expired
        /// The push was for one attempt, and the device was away or had not enabled its topic.
        case undeliverable
        /// The token of the push's topic ended.
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
    /// The index of the oldest history, once the maximum number is reached.
    private var oldest = 0
    private var places: [PushID: Int] = [:]

    /// Creates an empty history.
    init() {}

    /// Returns the histories of the pushes with an `apns-id`, in either case, the oldest first; providers may repeat an ID.
    public func lives(ofAPNSID id: String) -> [Life] {
        let id = id.lowercased()
        return (self.lives[self.oldest...] + self.lives[..<self.oldest]).filter { $0.apnsID.lowercased() == id }
    }

    /// Returns whether a push is in the history, was sent to its device, and has no outcome.
    func awaitsItsDevice(_ push: PushID) -> Bool {
        self.places[push].map { self.lives[$0].end == nil && self.lives[$0].deliveredAt != nil } ?? false
    }

    /// Returns when a push was accepted; nil if the history no longer has the push.
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
