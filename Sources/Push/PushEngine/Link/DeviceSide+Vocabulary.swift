public import WhereaboutsAPNS
public import WhereaboutsVocabulary

extension DeviceSide {
    /// The times of a link that its owner may choose.
    public struct Configuration: Sendable, Hashable {
        /// The shortest wait before connecting again; it grows with each failure.
        public var backoffMin = Duration.milliseconds(500)
        /// The longest wait before connecting again; a link that lasted longer was a good one.
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
        /// The owner wants the token of a topic until further notice.
        case registrationWanted(topic: String)
        /// The owner does not want the token of a topic any more.
        case registrationUnwanted(topic: String)
        /// The topics whose pushes may come now, replacing the previous list.
        case topicsEnabled([String])
        /// A push is safe here.
        case pushSaved(PushID)
        /// A message arrived on the connection of the last ``Effect/connect``; nil: of a later version.
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
        /// The link was lost, or could not be opened; it is opened again automatically.
        case disconnected(String)
        /// The token of a topic, reported after each connection and usually unchanged.
        case registered(topic: String, token: DeviceToken)
        /// The token of a topic is dead.
        case unregistered(topic: String)
        /// A push, which comes again on each connection until it is acknowledged.
        case push(StoredPush)
    }

    /// A decision worth writing down.
    public enum Note: Sendable, Hashable {
        /// The link was lost, with the time until the next attempt.
        case lost(reason: String, retryAfter: Duration)
        /// The owner wants more topics than a gateway accepts from one device, or texts that are no topics; these are left out.
        case topicsLeftOut(count: Int)
    }
}
