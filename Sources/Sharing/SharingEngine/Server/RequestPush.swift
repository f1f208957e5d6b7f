package import WhereaboutsAPNS
internal import WhereaboutsVocabulary

/// The location push that carries a request to its sharer's device.
package struct RequestPush: Sendable, Hashable {
    /// The device's push token.
    package let token: DeviceToken
    /// The bundle identifier of the app, without `.location-query`.
    package let topic: String
    /// The public key of the device, to which the request is sealed.
    package let key: [UInt8]
    package let request: Signed<Request>

    /// Creates the push of a request.
    package init(token: DeviceToken, topic: String, key: [UInt8], request: Signed<Request>) {
        self.token = token
        self.topic = topic
        self.key = key
        self.request = request
    }

    /// Creates the push of a request to a registered device; nil while its sharing is paused.
    package init?(of request: Signed<Request>, to registration: Registration) {
        guard let token = DeviceToken(bytes: registration.token) else { return nil }
        self.init(token: token, topic: registration.topic, key: registration.device.pushKey, request: request)
    }

    /// High priority, because a person waits; low for an occurrence of a schedule.
    package var priority: Priority { self.request.value.occurrence == 0 ? .immediate : .powerConsiderate }

    /// The request's own expiry.
    package var expiration: Expiration { .until(self.request.value.expires.seconds) }
}
