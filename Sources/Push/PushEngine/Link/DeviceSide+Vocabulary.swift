public import WhereaboutsAPNS
public import WhereaboutsVocabulary

extension DeviceSide {
    /// The times of a link that its owner may choose.
    public struct Configuration: Sendable, Hashable {
        /// The least wait before connecting again; it grows with each failure.
        public var backoffMin = Duration.milliseconds(500)
        /// The bound of every wait before connecting again; a link that lasted longer was a good one.
        public var backoffMax = Duration.seconds(30)
        /// How long connecting, TLS and the proof may take together.
        public var handshakeTimeout = Duration.seconds(10)

        /// Creates the times of a device that ships.
        public init() {}
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// The owner wants the link.
        case started
        /// The owner wants the token of a topic, until it says otherwise.
        case registrationWanted(topic: String)
        /// The owner does not want the token of a topic any more.
        case registrationUnwanted(topic: String)
        /// The topics whose pushes may come now, replacing those of before.
        case topicsEnabled([String])
        /// A push is safe here.
        case pushSaved(PushID)
        /// The gateway said something on the connection of the last ``Effect/connect``; nil: a message of a later version.
        case received(GatewayMessage?)
        /// The connection of the last ``Effect/connect`` ended, or could not be opened or used.
        case connectionEnded(reason: String)
        /// The ``DeviceSide/deadline`` may have come.
        case deadlineReached
        /// The owner does not want the link any more.
        case stopped
    }

    /// A command to the host; effects are carried out in their order.
    public enum Effect: Sendable, Hashable {
        /// Open a connection to the gateway.
        case connect
        /// Close the connection, or give the attempt at it up; nothing of it is fed any more.
        case disconnect
        /// Sign the nonce with the device's key, and send the proof.
        case sign(nonce: [UInt8])
        case send(DeviceMessage)
        case tell(Event)
        case note(Note)
    }

    /// News of the link for its owner.
    public enum Event: Sendable, Hashable {
        /// The gateway accepted the proof; registrations and topics were announced.
        case connected
        /// The link was lost, or an attempt to open it failed; it is opened again without the owner's doing.
        case disconnected(String)
        /// The token of a topic; it comes again after each reconnection, and is then usually the same.
        case registered(topic: String, token: DeviceToken)
        /// The token of a topic is dead.
        case unregistered(topic: String)
        /// A push. Until it is said to be safe it comes again on each connection.
        case push(StoredPush)
    }

    /// A decision worth writing down.
    public enum Note: Sendable, Hashable {
        /// There is no link any more, and when the next attempt begins.
        case lost(reason: String, retryAfter: Duration)
        /// The owner wants more topics than a gateway accepts from one device, or texts that are no topics; these are left out.
        case topicsLeftOut(count: Int)
    }
}
