internal import NIOCore
internal import NIOHPACK
internal import WhereaboutsAPNS

/// A request in its wire form without the provider token, made before it reaches the event loop.
struct PreparedRequest: Sendable {
    /// The headers of every request but the first one of a connection.
    let headers: HPACKHeaders
    let body: ByteBuffer?

    init(_ push: Push, host: String) {
        var random = SystemRandomNumberGenerator()
        let id = (push.id ?? MessageID(using: &random)).text.lowercased()
        var headers = HPACKHeaders()
        headers.reserveCapacity(11)
        headers.begin("POST", path: "/3/device/\(push.token.hex)", host: host)
        headers.add(name: HeaderName.pushType, value: push.type.rawValue)
        headers.add(name: HeaderName.topic, value: push.topic)
        headers.add(name: HeaderName.priority, value: String(push.priority.rawValue))
        headers.add(name: HeaderName.id, value: id, indexing: .nonIndexable)
        if let expiration = push.expiration {
            headers.add(name: HeaderName.expiration, value: expiration.headerValue, indexing: .nonIndexable)
        }
        if let collapseID = push.collapseID {
            headers.add(name: HeaderName.collapseID, value: collapseID, indexing: .nonIndexable)
        }
        self.headers = headers
        self.body = ByteBuffer(bytes: push.payload.bytes)
    }

    init(_ broadcast: Broadcast, host: String) {
        var headers = HPACKHeaders()
        headers.begin("POST", path: "/4/broadcasts/apps/\(broadcast.bundleIdentifier)", host: host)
        headers.add(name: HeaderName.pushType, value: PushType.liveactivity.rawValue)
        headers.add(name: HeaderName.channelID, value: broadcast.channel.text)
        headers.add(name: HeaderName.priority, value: String(broadcast.priority.rawValue))
        headers.add(name: HeaderName.expiration, value: broadcast.expiration.headerValue, indexing: .nonIndexable)
        headers.addRequestID(broadcast.id)
        self.headers = headers
        self.body = ByteBuffer(bytes: broadcast.payload.bytes)
    }

    /// Describes a request about channels.
    init(_ method: String, path: String, channel: ChannelID?, body: String?, host: String) {
        var headers = HPACKHeaders()
        headers.begin(method, path: path, host: host)
        if let channel { headers.add(name: HeaderName.channelID, value: channel.text, indexing: .nonIndexable) }
        headers.addRequestID(nil)
        self.headers = headers
        self.body = body.map { ByteBuffer(string: $0) }
    }

    /// The headers of a connection's first push: it adds changing names to the server's table, as Apple asks, and later
    /// pushes refer to them.
    var firstHeaders: HPACKHeaders {
        var first = HPACKHeaders()
        for (name, value, indexing) in self.headers {
            first.add(name: name, value: value, indexing: name == ":path" ? indexing : .indexable)
        }
        return first
    }
}

extension HPACKHeaders {
    fileprivate mutating func begin(_ method: String, path: String, host: String) {
        self.add(name: ":method", value: method)
        self.add(name: ":scheme", value: "https")
        self.add(name: ":authority", value: host)
        self.add(name: ":path", value: path, indexing: .nonIndexable)
    }

    fileprivate mutating func addRequestID(_ id: MessageID?) {
        var random = SystemRandomNumberGenerator()
        let text = (id ?? MessageID(using: &random)).text.lowercased()
        self.add(name: HeaderName.requestID, value: text, indexing: .nonIndexable)
    }
}
