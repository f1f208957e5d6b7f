/// The state of the feed of beacons' advertisements, for people.
public struct BeaconFeedHealth: Sendable, Hashable {
    /// The state of the socket.
    public enum Socket: Sendable, Hashable {
        case closed
        /// Scanners may connect.
        case open
        /// The socket cannot be opened, for the given reason; opening is retried.
        case failed(String)
    }

    /// The state of the socket.
    public var socket = Socket.closed
    /// The number of scanners that are connected.
    public var scanners = 0
    /// The number of scanners that reported that they cannot listen.
    public var deaf = 0
    /// The number of valid receptions since locationd started.
    public private(set) var advertisements = 0
    /// The number of lines and connections that were dropped since locationd started.
    public private(set) var dropped = 0
    /// The newest reason for dropping a line or connection; nil: none.
    public private(set) var fault: String?

    /// Creates the health of a feed that is closed.
    public init() {}

    /// Records a valid reception.
    public mutating func received() { self.advertisements += 1 }

    /// Records that a line or connection was dropped.
    public mutating func dropped(_ reason: String) {
        self.dropped += 1
        self.fault = reason
    }

    /// The summary of the facts, as text.
    public var words: String {
        switch self.socket {
        case .closed: "off"
        case .failed(let reason): reason
        case .open where self.scanners == 0: "no scanner is connected"
        case .open where self.deaf >= self.scanners: "the scanner cannot listen"
        case .open: "listening"
        }
    }
}
