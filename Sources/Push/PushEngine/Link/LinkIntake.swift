internal import DequeModule
internal import WhereaboutsVocabulary

/// Limits what one device has in progress on its link: requests, unread answers, and frames that need no answer.
///
/// Beyond the limit the link is not read, so that a device that sends too much must wait.
struct LinkIntake: Sendable, Hashable {
    /// The maximum number of requests of one link in progress: unfinished, or answered and unread.
    static let underWayMax = 16
    /// The maximum number of requests that wait behind them; a device may send all its requests at once.
    static let waitingMax = 1024
    /// The maximum number of pings and messages of later versions at once.
    static let chatterBurst = 64
    /// The time after which one more is accepted; no device pings every second.
    static let chatterInterval = Duration.seconds(1)

    /// The answer to the newest ping.
    private enum Pong: Sendable, Hashable {
        case sent
        /// An answer is being sent.
        case leaving
        /// An answer is being sent, and a newer ping waits for its own.
        case leavingBefore(UInt64)
    }

    private var underWay = 0
    private var waiting: Deque<Gateway.DeviceRequest> = []
    private var pong = Pong.sent
    private var chatter = GCRA(burst: Self.chatterBurst, every: Self.chatterInterval)

    /// Whether to continue reading the link.
    var isOpen: Bool { self.waiting.isEmpty && self.underWay < Self.underWayMax }

    // MARK: Requests

    /// Actions returned by ``requested(_:)``.
    enum OnRequest: Sendable, Hashable {
        case feed
        /// The request waits.
        case wait
        /// End the link: more requests wait than a correct device sends.
        case overflow
    }

    /// Records a request of the device.
    mutating func requested(_ request: Gateway.DeviceRequest) -> OnRequest {
        if self.isOpen {
            self.underWay += 1
            return .feed
        }
        guard self.waiting.count < Self.waitingMax else { return .overflow }
        self.waiting.append(request)
        return .wait
    }

    /// Records that a request ended: it has no answer, or the answer was sent.
    ///
    /// - Returns: the next request to perform; nil if none waits.
    mutating func finished() -> Gateway.DeviceRequest? {
        self.underWay = max(0, self.underWay - 1)
        guard self.underWay < Self.underWayMax, let next = self.waiting.popFirst() else { return nil }
        self.underWay += 1
        return next
    }

    // MARK: Frames that ask for nothing

    /// Actions returned by ``pinged(_:now:)``.
    enum OnPing: Sendable, Hashable {
        case pong(UInt64)
        /// The ping is answered after the previous answer was sent; one answer covers all pings until then.
        case wait
        /// End the link: no correct device pings so often.
        case flood
    }

    mutating func pinged(_ number: UInt64, now: EngineInstant) -> OnPing {
        guard self.chatter.take(now: now) else { return .flood }
        switch self.pong {
        case .sent:
            self.pong = .leaving
            return .pong(number)
        case .leaving, .leavingBefore:
            self.pong = .leavingBefore(number)
            return .wait
        }
    }

    /// Records that the last answer to a ping was sent.
    ///
    /// - Returns: the ping to answer now; nil when all are answered.
    mutating func pongLeft() -> UInt64? {
        switch self.pong {
        case .sent, .leaving:
            self.pong = .sent
            return nil
        case .leavingBefore(let number):
            self.pong = .leaving
            return number
        }
    }

    /// Records a message of a later version.
    ///
    /// - Returns: whether the message is within the limit.
    mutating func passedOver(now: EngineInstant) -> Bool {
        self.chatter.take(now: now)
    }
}
