internal import NIOCore
internal import NIOHPACK
internal import WhereaboutsAPNS

/// A push in its wire form without the provider token, made before it reaches the event loop.
struct PreparedPush: Sendable {
    /// The headers of every push but the first one of a connection.
    let headers: HPACKHeaders
    let body: ByteBuffer

    init(_ push: Push, host: String) {
        var random = SystemRandomNumberGenerator()
        let id = (push.id ?? MessageID(using: &random)).text.lowercased()
        var headers = HPACKHeaders()
        headers.reserveCapacity(11)
        headers.add(name: ":method", value: "POST")
        headers.add(name: ":scheme", value: "https")
        headers.add(name: ":authority", value: host)
        headers.add(name: ":path", value: "/3/device/\(push.token.hex)", indexing: .nonIndexable)
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
