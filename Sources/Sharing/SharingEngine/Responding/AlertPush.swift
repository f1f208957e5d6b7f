package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// A location push to a device, whatever it carries.
package protocol DevicePush: Sendable {
    /// The device's push token.
    var token: DeviceToken { get }
    /// The bundle identifier of the app, without `.location-query`.
    var topic: String { get }
    var priority: Priority { get }
    var expiration: Expiration { get }
}

extension RequestPush: DevicePush {}

/// The location push that carries a notice to a volunteer's phone.
package struct AlertPush: DevicePush, Hashable {
    /// How long the push service keeps a push for a phone without a connection.
    ///
    /// Source: our choice; an alert that is late by more than that helps nobody, and a stand-down is not needed then.
    package static let lifetime: Duration = .seconds(600)

    package let token: DeviceToken
    package let topic: String
    /// The public key of the device, to which the notice is sealed.
    package let key: [UInt8]
    package let alert: AlertID
    package let notice: ResponderNotice
    package let expires: WallTime

    /// Creates the push of a notice to a registered device; nil while its sharing is paused.
    package init?(of notice: ResponderNotice, _ alert: AlertID, to registration: Registration, now: WallTime) {
        guard let token = DeviceToken(bytes: registration.token) else { return nil }
        self.token = token
        self.topic = registration.topic
        self.key = registration.device.pushKey
        self.alert = alert
        self.notice = notice
        self.expires = now.advanced(by: Self.lifetime)
    }

    package var priority: Priority { .immediate }
    package var expiration: Expiration { .until(self.expires.seconds) }
}
