internal import WhereaboutsVocabulary

/// The state of one connection of ``PushPool``: whether it can send a push now, and whether it is alive.
///
/// ```
///   ┌─────────┐ SETTINGS  ┌──────┐ GOAWAY, stale token  ┌─────────┐ last stream ended  ┌─────────┐
///   │ opening │ ────────▶ │ open │ ───────────────────▶ │ leaving │ ─────────────────▶ │ closing │
///   └─────────┘           └──────┘                      └─────────┘                    └─────────┘
///        │                    └── idle, or silent after a ping ───────────────────────────▲
///        └───────────────────────── too late ─────────────────────────────────────────────┘
/// ```
///
/// After a silence, a ping checks the connection before a push is sent on it. On a broken connection the push would be lost,
/// and a push that may have arrived is not sent again.
struct PoolConnection: Sendable, Hashable {
    /// Where the connection is in the diagram above.
    enum State: Sendable, Hashable {
        /// TCP, TLS and the server's SETTINGS are in progress; the attempt ends at `until`.
        case opening(until: EngineInstant)
        /// The connection accepts pushes.
        case open
        /// The connection sends no more pushes; those in progress are answered.
        case leaving
        /// The host was told to close the connection.
        case closing
    }

    /// The evidence that the path is alive.
    enum Pulse: Sendable, Hashable {
        /// Data arrived, or the first push after an idle time was sent, at this time.
        case since(EngineInstant)
        /// A ping was sent; any received data answers it, and no push is sent before that.
        case asked(until: EngineInstant)
    }

    /// How long opening may take; enough for many round trips of a slow network.
    static let openingTimeout = Duration.seconds(10)
    /// The silence, with pushes in progress, after which a ping is sent.
    ///
    /// Source: our choice, ADR 0054; APNs answers a push within a second, and half of a push's time is left for another connection.
    static let silenceBeforePing = Duration.seconds(5)
    /// How long the answer to a ping may take.
    ///
    /// Source: our choice, ADR 0054; many round trips of a slow network.
    static let pingTimeout = Duration.seconds(3)
    /// The silence after which a ping precedes the next push, shorter than the memory of address translators.
    static let trustedSilence = Duration.seconds(60)
    /// How often an idle connection is pinged: Apple, "if your connection is mostly idle, you may send a PING after an hour".
    static let idlePingInterval = Duration.seconds(3600)
    /// How long an additional connection is kept without a push.
    ///
    /// Source: our choice, ADR 0054; a wave of pushes that returns within this time opens no new connection.
    static let surplusTimeout = Duration.seconds(60)
    /// How long no stream is opened after the server refused one, unless an answer arrives earlier.
    static let refusalPause = Duration.milliseconds(200)
    /// The maximum number of concurrent streams, even if the server allows more: Apple's number in traces of 2021.
    static let streamsMax = 1000
    /// The last stream that is opened; the IDs of a connection end at 2³¹ − 1.
    static let lastStream: Int32 = .max - 2

    /// The host's number for the connection.
    let id: Int
    private(set) var state: State
    private(set) var pulse: Pulse
    /// The pushes in progress, by stream.
    private(set) var streams: [Int32: UInt64] = [:]
    /// Whether the server accepted a provider token on this connection; an end before that counts as a failed attempt.
    private(set) var isProven = false
    /// Whether the connection was closed for lack of pushes, not for a fault.
    private(set) var isWantedNoMore = false
    /// The provider token that was presented last.
    var token: TokenRotation.Presented?
    private var streamsAllowed = Self.streamsMax
    private var nextStream: Int32 = 1
    /// When the last push was sent, or the connection opened.
    private var idleSince: EngineInstant
    private var pausedUntil: EngineInstant?

    init(id: Int, now: EngineInstant) {
        self.id = id
        self.state = .opening(until: now.advanced(by: Self.openingTimeout))
        self.pulse = .since(now)
        self.idleSince = now
    }

    // MARK: Pushes.

    /// Whether all streams are in use, and the server has accepted a provider token: another connection may be opened.
    var isFull: Bool {
        self.state == .open && self.isProven && self.streams.count >= self.streamsAllowed
    }

    /// Returns whether there is room for a push, provided that the connection is alive.
    func hasRoom(now: EngineInstant) -> Bool {
        guard self.state == .open, self.streams.count < self.streamsAllowed else { return false }
        return self.pausedUntil.map { $0 <= now } ?? true
    }

    /// Actions returned by ``pushOffered(now:)``.
    enum OnOffer: Sendable, Hashable {
        case take
        /// The connection was pinged, and has not answered yet.
        case wait
        /// Ping the server first.
        case ping
    }

    /// Records that a push could use the connection.
    mutating func pushOffered(now: EngineInstant) -> OnOffer {
        switch self.pulse {
        case .asked: return .wait
        case .since(let instant) where instant.duration(to: now) < Self.trustedSilence: return .take
        case .since:
            self.doubted(now: now)
            return .ping
        }
    }

    /// Records that the connection must answer a ping before it gets another push.
    mutating func doubted(now: EngineInstant) {
        self.pulse = .asked(until: now.advanced(by: Self.pingTimeout))
    }

    /// Records that a push is sent on the connection.
    ///
    /// - Returns: the push's stream.
    mutating func pushSent(_ ticket: UInt64, now: EngineInstant) -> Int32 {
        if self.streams.isEmpty { self.pulse = .since(now) }
        self.idleSince = now
        let stream = self.nextStream
        self.nextStream += 2
        self.streams[stream] = ticket
        if stream >= Self.lastStream { self.state = .leaving }
        return stream
    }

    /// Records that the server ended a stream.
    ///
    /// - Returns: the stream's push; nil if this side had reset the stream, so that its end says nothing about the server.
    mutating func streamEnded(_ stream: Int32, now: EngineInstant) -> UInt64? {
        guard let ticket = self.streams.removeValue(forKey: stream) else { return nil }
        self.heard(now: now)
        return ticket
    }

    /// Records that a push was cancelled.
    mutating func pushGivenUp(_ stream: Int32) {
        self.streams[stream] = nil
    }

    /// Removes and returns the pushes of the streams above this one, in the order in which they were sent.
    mutating func takePushes(above last: Int32 = 0) -> [UInt64] {
        let above = self.streams.filter { $0.key > last }.sorted { $0.key < $1.key }
        for (stream, _) in above { self.streams[stream] = nil }
        return above.map(\.value)
    }

    // MARK: Signs of the server's.

    /// Records the server's SETTINGS; `streamsMax` is nil if they do not limit streams.
    mutating func settingsReceived(streamsMax: Int?, now: EngineInstant) {
        self.heard(now: now)
        if case .opening = self.state {
            self.state = .open
            self.idleSince = now
        }
        if let streamsMax { self.streamsAllowed = min(streamsMax, Self.streamsMax) }
    }

    mutating func heard(now: EngineInstant) {
        self.pulse = .since(now)
    }

    /// Records that the server accepted the provider token.
    mutating func tokenTaken() {
        self.isProven = true
        self.pausedUntil = nil
    }

    /// Records that the server refused a stream.
    mutating func streamRefused(now: EngineInstant) {
        self.pausedUntil = now.advanced(by: Self.refusalPause)
    }

    // MARK: The end.

    /// Records that the connection gets no more pushes.
    mutating func retired() {
        if self.state == .open { self.state = .leaving }
    }

    /// Records that the host was told to close the connection.
    mutating func closed(isWantedNoMore: Bool) {
        self.state = .closing
        self.isWantedNoMore = isWantedNoMore
    }

    /// Actions returned by ``deadlineReached(isSurplus:now:)``.
    enum OnDeadline: Sendable, Hashable {
        case ignore
        case ping
        /// Close the connection: it did not open in time, or did not answer a ping.
        case giveUp
        /// Close the connection: other connections suffice.
        case dismiss
    }

    /// When ``deadlineReached(isSurplus:now:)`` must be called.
    func deadline(isSurplus: Bool) -> EngineInstant? {
        switch self.state {
        case .opening(let until): return until
        case .closing: return nil
        case .open, .leaving:
            var due: EngineInstant? = self.pausedUntil
            switch self.pulse {
            case .asked(let until): due.lower(to: until)
            case .since(let instant): due.lower(to: instant.advanced(by: self.patience))
            }
            if isSurplus, self.streams.isEmpty { due.lower(to: self.idleSince.advanced(by: Self.surplusTimeout)) }
            return due
        }
    }

    /// The silence after which a ping is sent.
    private var patience: Duration { self.streams.isEmpty ? Self.idlePingInterval : Self.silenceBeforePing }

    /// Records that the deadline may have come.
    ///
    /// - Parameters:
    ///   - isSurplus: whether the pool has another connection for pushes.
    ///   - now: the time.
    /// - Returns: the action.
    mutating func deadlineReached(isSurplus: Bool, now: EngineInstant) -> OnDeadline {
        switch self.state {
        case .opening(let until): return until <= now ? .giveUp : .ignore
        case .closing: return .ignore
        case .open, .leaving:
            if let pausedUntil, pausedUntil <= now { self.pausedUntil = nil }
            switch self.pulse {
            case .asked(let until) where until <= now: return .giveUp
            case .since(let instant) where instant.advanced(by: self.patience) <= now:
                self.doubted(now: now)
                return .ping
            case .asked, .since: break
            }
            let isIdle = self.streams.isEmpty && self.idleSince.advanced(by: Self.surplusTimeout) <= now
            return isSurplus && isIdle ? .dismiss : .ignore
        }
    }
}
