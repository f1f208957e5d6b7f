public import WhereaboutsVocabulary

/// The state of a receiver and of the connection to it, for people.
///
/// Facts are recorded with their instants; the summary is computed on demand, so that detecting silence needs no timer.
public struct ReceiverHealth: Sendable, Hashable {
    /// The state of the receiver, with its cause.
    public enum Condition: Sendable, Hashable {
        case off
        /// The connection is being made, or is new and has delivered nothing yet.
        case connecting
        /// There is no connection, for the given reason; it is retried.
        case unreachable(String)
        /// The connection is open, but no bytes arrive.
        case silent
        /// Bytes arrive, but none can be decoded; the newest fault, if there is one.
        case unintelligible(String?)
        /// gpsd is connected and has no receiver.
        case noReceiver
        /// The receiver sends data, but has no position.
        case searching
        case delivering
    }

    /// The state of the connection alone.
    private enum Way: Sendable, Hashable {
        case off, connecting, open
        case unreachable(String)
    }

    /// The silence after which a receiver's data counts as gone, as in the engine.
    private static let patience = Duration.seconds(5)

    /// The time that a new connection may take until the first valid data.
    ///
    /// Source: our choice; receivers report once a second, and the doctor's trial takes four.
    private static let patienceWithFirst = Duration.seconds(3)

    private var way = Way.off
    private var waySince = EngineInstant(sinceStart: .zero)
    private var bytesAt, understoodAt: EngineInstant?
    /// The arrival of the newest fix; nil: none on this connection.
    public private(set) var fixAt: EngineInstant?
    /// The start of the present sequence of fixes without a gap.
    private var fixesSince: EngineInstant?
    private var lacksReceiver = false
    /// The time between two fixes, smoothed.
    private var interval: Duration?
    /// The newest decoding fault, without a position in it; nil: none.
    public private(set) var fault: String?
    /// The number of faults of this connection.
    public private(set) var faultCount = 0
    /// The receiver's driver, as gpsd calls it.
    public var driver: String?
    /// The receiver's path, as gpsd calls it.
    public var device: String?
    /// The receiver's satellites.
    public var sky = SkyView()

    /// Creates the health of a receiver that is off.
    public init() {}

    /// The fixes in a second; nil until there were two.
    public var rate: Double? { self.interval.map { .seconds(1) / max($0, .milliseconds(1)) } }

    /// Records that the receiver is off.
    public mutating func switchedOff(now: EngineInstant) {
        self = ReceiverHealth()
        self.waySince = now
    }

    /// Records that a connection is being made; the reason of the last failure stays until it succeeds.
    public mutating func connecting(now: EngineInstant) {
        if case .unreachable = self.way { return }
        self = ReceiverHealth()
        (self.way, self.waySince) = (.connecting, now)
    }

    /// Records that there is no connection.
    public mutating func failed(_ reason: String, now: EngineInstant) {
        if case .unreachable(reason) = self.way { return }
        (self.way, self.waySince) = (.unreachable(reason), now)
    }

    /// Records that a connection was made.
    public mutating func opened(now: EngineInstant) {
        self = ReceiverHealth()
        (self.way, self.waySince) = (.open, now)
    }

    /// Records the arrival of bytes.
    public mutating func bytesCame(areUnderstood: Bool, now: EngineInstant) {
        self.bytesAt = now
        if areUnderstood { self.understoodAt = now }
    }

    /// Records a fix.
    public mutating func fixCame(now: EngineInstant) {
        if let last = self.fixAt {
            let gap = last.duration(to: now)
            if gap > self.patienceWithFixes { self.fixesSince = now }
            // An amended fix follows the first one at once.
            if gap > .milliseconds(20) { self.interval = self.interval.map { ($0 * 4 + gap) / 5 } ?? gap }
        } else {
            self.fixesSince = now
        }
        self.fixAt = now
        self.lacksReceiver = false
    }

    /// Records whether gpsd has a receiver.
    public mutating func receiverChanged(isThere: Bool) { self.lacksReceiver = !isThere }

    /// Records a decoding fault.
    public mutating func faultFound(_ words: String) {
        self.fault = words
        self.faultCount += 1
    }

    /// Whether the newest bytes were valid.
    public var isUnderstood: Bool { self.understoodAt != nil && self.understoodAt == self.bytesAt }

    private var patienceWithFixes: Duration { max(Self.patience, (self.interval ?? .zero) * 3) }

    /// The condition that follows from the facts, and since when.
    public func condition(now: EngineInstant) -> (condition: Condition, since: EngineInstant) {
        switch self.way {
        case .off: return (.off, self.waySince)
        case .connecting: return (.connecting, self.waySince)
        case .unreachable(let reason): return (.unreachable(reason), self.waySince)
        case .open: break
        }
        if let fixAt, fixAt.duration(to: now) <= self.patienceWithFixes {
            return (.delivering, self.fixesSince ?? fixAt)
        }
        let isNew = self.waySince.duration(to: now) <= Self.patienceWithFirst
        guard let bytesAt else { return (isNew ? .connecting : .silent, self.waySince) }
        if self.lacksReceiver { return (.noReceiver, self.fixAt ?? self.waySince) }
        if bytesAt.duration(to: now) > Self.patience { return (.silent, bytesAt) }
        if self.understoodAt == nil, self.fault == nil, isNew { return (.connecting, self.waySince) }
        guard let understoodAt, understoodAt.duration(to: now) <= Self.patience else {
            return (.unintelligible(self.fault), self.understoodAt ?? self.waySince)
        }
        return (.searching, self.fixAt ?? self.waySince)
    }
}
