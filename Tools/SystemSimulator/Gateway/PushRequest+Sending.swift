internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

extension PushRequest {
    /// A push as a provider sends it.
    init(
        _ type: PushType = .location,
        token: DeviceToken,
        topic: String,
        priority: Priority = .immediate,
        expiration: Expiration? = nil,
        body: [UInt8]
    ) {
        self.init()
        self.add(":method", "POST")
        self.add(":path", "/3/device/" + token.hex)
        self.add(HeaderName.topic, topic)
        self.add(HeaderName.pushType, type.rawValue)
        self.add(HeaderName.priority, String(priority.rawValue))
        if let expiration { self.add(HeaderName.expiration, expiration.headerValue) }
        self.body = .bytes(body)
    }
}
