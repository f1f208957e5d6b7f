internal import DequeModule
internal import WhereaboutsVocabulary

/// Bounds how much one device has under way on its link: requests, answers it has not read, and frames that ask for nothing.
///
/// Beyond the bound the link is not read, so that a device that says more than the gateway can do waits at its own end.
struct LinkIntake: Sendable, Hashable {
    /// The most requests of one link under way: told to the gateway and not finished, or answered and not read.
    static let underWayMax = 16
    /// The most requests that wait behind them; one read may bring as many, and a device says all it wants at once.
    static let waitingMax = 1024
    /// The most frames at once that ask for nothing: pings, and messages of later versions.
    static let chatterBurst = 64
    /// The time after which there may be one more; no device pings as often as each second.
    static let chatterInterval = Duration.seconds(1)

    /// The answer to the newest ping.
    private enum Pong: Sendable, Hashable {
        case sent
        /// An answer is on its way out.
        case leaving
        /// An answer is on its way out, and a newer ping waits for its own.
        case leavingBefore(UInt64)
    }

    private var underWay = 0
    private var waiting: Deque<Gateway.DeviceRequest> = []
    private var pong = Pong.sent
    private var chatter = GCRA(burst: Self.chatterBurst, every: Self.chatterInterval)

    /// Whether the link must be read on.
    var isOpen: Bool { self.waiting.isEmpty && self.underWay < Self.underWayMax }

    // MARK: Requests

    /// Actions returned by ``requested(_:)``.
    enum OnRequest: Sendable, Hashable {
        case feed
        /// It waits for its turn.
        case wait
        /// End the link: more waits than a device says.
        case overflow
    }

    /// Records that the device asked for something.
    mutating func requested(_ request: Gateway.DeviceRequest) -> OnRequest {
        if self.isOpen {
            self.underWay += 1
            return .feed
        }
        guard self.waiting.count < Self.waitingMax else { return .overflow }
        self.waiting.append(request)
        return .wait
    }

    /// Records that a request ended: it has no answer, or the answer is out.
    ///
    /// - Returns: the request whose turn it is; nil when none waits.
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
        /// It is answered when the answer before is out; one more is enough for all that come until then.
        case wait
        /// End the link: nobody pings so often.
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

    /// Records that the last answer to a ping is out.
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
    /// - Returns: whether there may be one.
    mutating func passedOver(now: EngineInstant) -> Bool {
        self.chatter.take(now: now)
    }
}
