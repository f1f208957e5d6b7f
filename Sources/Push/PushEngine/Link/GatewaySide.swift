internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides the gateway's side of one connection of a device, from the challenge to its end.
///
/// ```
///   ┌──────────┐ proof  ┌──────────┐ it is good  ┌──────┐ ──┐ requests, pushes,
///   │ unproven │ ─────▶ │ checking │ ──────────▶ │ open │   │ ping, pong
///   └──────────┘        └──────────┘             └──────┘ ◀─┘
///        │ late, no proof     │ it is not            │ silent, slow, replaced
///        ▼                    ▼                      ▼
///      ┌───────────────────────────────────────────────┐
///      │                     ended                     │     shutdown and the device's own end, from anywhere
///      └───────────────────────────────────────────────┘
/// ```
///
/// If a device breaks the protocol, the connection ends with a message that names the rule; the device reconnects and
/// repeats its requests. ``Gateway`` decides about a device's several connections, its tokens and its pushes. Its inputs
/// are ``Effect/feed(_:)``: exactly one `linkOpened` and one `linkClosed` for each connection that proved its key. The
/// wire format: `docs/protocol/push-link.md`.
///
/// ``LinkIntake`` limits what a device may have in progress; beyond this the link is not read
/// (``Effect/setReading(_:)``), so that the device waits.
///
/// Ignored, because they race with the network or the host's timer: inputs after the end, early deadlines,
/// messages of a later version of the protocol on an open link.
public struct GatewaySide: Sendable, Hashable {
    /// The times of a link that its gateway may choose.
    public struct Configuration: Sendable, Hashable {
        /// The interval at which devices must ping, whole seconds.
        ///
        /// Default 210 s: below the shortest time after which a home router forgot a silent TCP connection, 239 s
        /// (S. Hätönen et al., "An Experimental Study of Home Gateway Characteristics", IMC 2010). It is not shorter,
        /// because every ping wakes a device's radio: about 400 times a day.
        public var keepalive = Duration.seconds(210)
        /// How long TLS and a device's proof of its key may take together.
        ///
        /// Default 10 s: enough for many round trips of a slow mobile network.
        public var handshakeTimeout = Duration.seconds(10)

        /// How long a device may be silent: two pings may be lost, but not the third.
        public var silenceMax: Duration { self.keepalive * 3 }

        /// Creates the default times.
        public init() {}
    }

    /// Where the connection is in the diagram above.
    enum State: Sendable, Hashable {
        /// TLS is in progress, or the device has not answered the challenge; ended at `until`.
        case unproven(nonce: [UInt8], until: EngineInstant)
        /// The host checks the proof of this device.
        case checking(DeviceKey)
        /// The device proved its key; its last message arrived at `heardAt`.
        case open(DeviceKey, heardAt: EngineInstant)
        /// Nothing more is sent or accepted.
        case ended
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// The connection can carry messages.
        case connected
        /// A message arrived from the device; nil: of a later version.
        case received(DeviceMessage?)
        /// The host checked the proof.
        case proofChecked(isValid: Bool)
        /// The gateway sends the device a message; `isWritable`: the device reads its messages.
        case messageDecided(GatewayMessage, isWritable: Bool)
        /// A request of the device is finished, and has no answer.
        case requestFinished
        /// A message has left: it was written to the network, or the connection has ended.
        case messageLeft(GatewayMessage)
        /// The gateway ends the connection, or the host cannot decode it.
        case endDecided(LinkEnding = .decided, reason: String)
        /// The device closed the connection, or the connection broke.
        case connectionEnded
        /// The ``GatewaySide/deadline`` may have come.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    public enum Effect: Sendable, Hashable {
        case send(GatewayMessage)
        /// Verify the proof against the nonce, and report ``Input/proofChecked(isValid:)``.
        case verify(LinkProof, nonce: [UInt8])
        /// Resume or pause reading from the device.
        case setReading(Bool)
        case feed(Gateway.Input)
        /// Close the connection after the messages sent so far.
        case disconnect
    }

    private(set) var state: State
    /// The reason why the gateway ended the link; nil if it did not.
    public private(set) var ending: LinkEnding?
    private var intake = LinkIntake()
    private let id: LinkID
    private let address: AddressBlock
    private let configuration: Configuration

    /// Creates the machine of a connection that was accepted now.
    ///
    /// - Parameters:
    ///   - id: identifies the connection.
    ///   - configuration: the times of the connection.
    ///   - address: the device's address.
    ///   - now: the time on the clock of ``deadline``.
    ///   - generator: draws the nonce, which must be unpredictable; otherwise a proof for another gateway would be valid here.
    public init(
        _ id: LinkID,
        _ configuration: Configuration = Configuration(),
        from address: AddressBlock,
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) {
        self.id = id
        self.address = address
        self.configuration = configuration
        let nonce = (0..<LinkProof.nonceBytesCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.state = .unproven(nonce: nonce, until: now.advanced(by: configuration.handshakeTimeout))
    }

    /// When ``Input/deadlineReached`` must be fed; nil when no timer runs.
    public var deadline: EngineInstant? {
        switch self.state {
        case .unproven(_, let until): until
        case .open(_, let heardAt): heardAt.advanced(by: self.configuration.silenceMax)
        // Verifying the proof on the host needs no deadline.
        case .checking, .ended: nil
        }
    }

    /// Applies one input.
    ///
    /// - Returns: the effects, to be carried out in this order.
    public mutating func handle(_ input: Input, now: EngineInstant) -> [Effect] {
        let wasReading = self.intake.isOpen
        let effects = self.decide(input, now)
        guard case .open = self.state, self.intake.isOpen != wasReading else { return effects }
        return effects + [.setReading(!wasReading)]
    }

    private mutating func decide(_ input: Input, _ now: EngineInstant) -> [Effect] {
        switch input {
        case .connected:
            guard case .unproven(let nonce, _) = self.state else { return [] }
            return [.send(.challenge(nonce: nonce))]
        case .received(let message): return self.received(message, now)
        case .proofChecked(let isValid):
            guard case .checking(let device) = self.state else { return [] }
            guard isValid else {
                return self.end(.badProof, "the signature is not by the device key over this connection's nonce")
            }
            self.state = .open(device, heardAt: now)
            let welcome = GatewayMessage.welcome(keepalive: self.configuration.keepalive)
            return [.send(welcome), .feed(.linkOpened(self.id, device, self.address))]
        case .messageDecided(let message, let isWritable):
            guard case .open = self.state else { return [] }
            // End the link of a device that does not read: its stored pushes must wait on disk, not in memory.
            return isWritable ? [.send(message)] : self.end(.unread, "the device reads too slowly")
        case .requestFinished: return self.finish()
        case .messageLeft(let message):
            guard case .open = self.state else { return [] }
            switch message {
            case .pong: return self.intake.pongLeft().map { [.send(.pong($0))] } ?? []
            case .registered, .unregistered: return self.finish()
            case .challenge, .welcome, .push, .goAway: return []
            }
        case .endDecided(let ending, let reason): return self.end(ending, reason)
        case .connectionEnded: return self.close()
        case .deadlineReached:
            guard let deadline = self.deadline, deadline <= now else { return [] }
            switch self.state {
            case .unproven: return self.end(.lateProof, "no proof within \(self.configuration.handshakeTimeout)")
            case .open: return self.end(.silent, "the device was silent for \(self.configuration.silenceMax)")
            case .checking, .ended: return []
            }
        }
    }

    private mutating func received(_ message: DeviceMessage?, _ now: EngineInstant) -> [Effect] {
        switch (self.state, message) {
        case (.unproven(let nonce, _), .proof(let proof)):
            self.state = .checking(proof.device)
            return [.verify(proof, nonce: nonce)]
        case (.unproven, _): return self.end(.outOfTurn, "the first frame must be the proof")
        case (.checking, _), (.open, .proof): return self.end(.outOfTurn, "a proof was given already")
        case (.open(let device, _), .request(let request)):
            self.state = .open(device, heardAt: now)
            switch self.intake.requested(request) {
            case .feed: return [.feed(.requested(request, self.id, device))]
            case .wait: return []
            case .overflow: return self.endFlood("a device has at most \(LinkIntake.waitingMax) requests waiting")
            }
        case (.open(let device, _), .ping(let number)):
            self.state = .open(device, heardAt: now)
            switch self.intake.pinged(number, now: now) {
            case .pong(let number): return [.send(.pong(number))]
            case .wait: return []
            case .flood: return self.endFlood(Self.flood)
            }
        case (.open(let device, _), nil):
            self.state = .open(device, heardAt: now)
            return self.intake.passedOver(now: now) ? [] : self.endFlood(Self.flood)
        case (.ended, _): return []
        }
    }

    /// The reason for ending a link with too many frames that need no answer.
    private static let flood = "a device sends more than one such frame in \(LinkIntake.chatterInterval)"

    private mutating func finish() -> [Effect] {
        guard case .open(let device, _) = self.state, let next = self.intake.finished() else { return [] }
        return [.feed(.requested(next, self.id, device))]
    }

    /// Ends a link without reading more, because the rest of a flood would be decoded until the connection is closed.
    private mutating func endFlood(_ reason: String) -> [Effect] {
        [.setReading(false)] + self.end(.flood, reason)
    }

    private mutating func end(_ ending: LinkEnding, _ reason: String) -> [Effect] {
        if case .ended = self.state { return [] }
        self.ending = ending
        return self.close() + [.send(.goAway(reason: reason)), .disconnect]
    }

    private mutating func close() -> [Effect] {
        let previous = self.state
        self.state = .ended
        switch previous {
        case .unproven, .checking, .ended: return []
        case .open(let device, _): return [.feed(.linkClosed(self.id, device))]
        }
    }
}
