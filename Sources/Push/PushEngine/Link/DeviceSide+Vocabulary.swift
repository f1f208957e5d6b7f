public import WhereaboutsAPNS
public import WhereaboutsVocabulary

extension DeviceSide {
    /// The times of a link that its owner may choose.
    public struct Configuration: Sendable, Hashable {
        /// The shortest wait before connecting again; it grows with each failure.
        public var backoffMin = Duration.milliseconds(500)
        /// The longest wait before connecting again; a link that lasted longer resets the wait.
        public var backoffMax = Duration.seconds(30)
        /// How long connecting, TLS and the proof may take together.
        public var handshakeTimeout = Duration.seconds(10)

        /// Creates the default times.
        public init() {}
    }

    /// A fact from outside.
    public enum Input: Sendable, Hashable {
        /// The owner requests the link.
        case started
        /// The owner requests the token of a topic, on every connection until further notice.
        case registrationWanted(topic: String)
        /// The owner ends the token of a topic.
        case registrationUnwanted(topic: String)
        /// The topics whose pushes may come now, replacing the previous list.
        case topicsEnabled([String])
        /// The owner has stored a push.
        case pushSaved(PushID)
        /// A message arrived on the connection of the last ``Effect/connect``; nil: of a later version.
        case received(GatewayMessage?)
        /// The connection of the last ``Effect/connect`` ended, or could not be opened or used.
        case connectionEnded(reason: String)
        /// The ``DeviceSide/deadline`` may have come.
        case deadlineReached
        /// The owner ends the link permanently.
        case stopped
    }

    /// A command to the host; effects are carried out in their order.
    public enum Effect: Sendable, Hashable {
        /// Open a connection to the gateway.
        case connect
        /// Close the connection, or give up the attempt to open one; feed none of its events any more.
        case disconnect
        /// Sign the nonce with the device's key, and send the proof.
        case sign(nonce: [UInt8])
        case send(DeviceMessage)
        case tell(Event)
        case note(Note)
    }

    /// An event of the link for its owner.
    public enum Event: Sendable, Hashable {
        /// The gateway accepted the proof; registrations and topics were announced.
        case connected
        /// The link was lost, or could not be opened; it is opened again automatically.
        case disconnected(String)
        /// The token of a topic, reported after each connection and usually unchanged.
        case registered(topic: String, token: DeviceToken)
        /// The token of a topic is dead.
        case unregistered(topic: String)
        /// A push, which is delivered again on each connection until it is acknowledged.
        case push(StoredPush)
    }

    /// A decision for the log.
    public enum Note: Sendable, Hashable {
        /// The link was lost, with the time until the next attempt.
        case lost(reason: String, retryAfter: Duration)
        /// The owner listed more topics than a gateway accepts from one device, or invalid ones; these are dropped.
        case topicsLeftOut(count: Int)
    }
}
