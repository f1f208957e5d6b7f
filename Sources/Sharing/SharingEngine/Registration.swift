internal import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// A sharer's message with the push address of their device; its time is whole milliseconds.
package struct Registration: Sendable, Hashable {
    /// The maximum number of bytes of a device token; Apple's have 32 and may grow.
    package static let tokenByteCountMax = 100

    /// The owner of the device.
    package let sharer: PublicIdentity
    /// The device token; empty while sharing is paused.
    package let token: [UInt8]
    /// The bundle identifier of the app, with which the push topic begins.
    package let topic: String
    /// When the registration was issued; of a device's registrations, the latest counts.
    package let issued: WallTime
    /// The device itself, with the key that its pushes are sealed to.
    package let device: RegisteredDevice

    package init(
        sharer: PublicIdentity,
        token: [UInt8],
        topic: String,
        issued: WallTime,
        device: RegisteredDevice
    ) throws(SharingError) {
        guard token.count <= Self.tokenByteCountMax else {
            throw SharingError(
                .badBytes,
                "a device token has at most \(Self.tokenByteCountMax) bytes, got \(token.count); "
                    + "pass the token as startMonitoringLocationPushes gave it"
            )
        }
        // The topic becomes a header on the connection that carries all sharers' pushes. A line break in it would break that connection.
        guard Topic.isBundleIdentifier(topic) else {
            throw SharingError(
                .badBytes,
                "a topic has 1 to \(Limits.bundleIdentifierBytesMax) letters, digits, dots, hyphens and underscores, "
                    + "got \(topic.utf8.count) bytes; pass the bundle identifier of the app"
            )
        }
        self.sharer = sharer
        self.token = token
        self.topic = topic
        self.issued = issued.wholeMilliseconds
        self.device = device
    }

    private init(paused other: Registration) {
        self.sharer = other.sharer
        self.token = []
        self.topic = other.topic
        self.issued = other.issued
        self.device = other.device
    }

    /// The registration without its token, which the push service no longer knows.
    package var paused: Registration { Registration(paused: self) }

    /// The time for a new message, later than every earlier one, even within a millisecond or after the clock was set
    /// back.
    package static func time(after last: WallTime?, now: WallTime) -> WallTime {
        let now = now.wholeMilliseconds
        guard let last, now <= last else { return now }
        return last.advanced(by: .milliseconds(1))
    }
}
