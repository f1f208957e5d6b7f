internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

extension PushRequest {
    /// The ID in the response; nil if the request has no valid one.
    public var messageID: String? {
        (self.isAboutChannels ? self.requestID : self.id).flatMap { MessageID($0)?.text }
    }

    /// Whether a sender requests its account: `GET /3/relay`.
    public var asksForAccount: Bool { self.method == "GET" && self.path == "/3/relay" }

    /// Checks everything but the device token.
    ///
    /// Apple documents no order of checks. Here the provider token is checked first, in ``ProviderConnection/requestBegan(_:now:)``,
    /// so that the answers tell a stranger nothing else; then the request line, the headers and the payload. The device token is
    /// checked last, in ``ValidPush/admitted(by:)``.
    ///
    /// - Parameters:
    ///   - scope: the apps to which the provider may push.
    ///   - id: the ID of the response.
    ///   - now: the time, for expirations.
    /// - Returns: the push, well formed.
    /// - Throws: the rejection to answer with.
    public func validated(for scope: TopicScope, id: String, now: WallTime) throws(Rejection) -> ValidPush {
        guard self.method == "POST" else { throw Rejection(.methodNotAllowed) }
        let token = try self.deviceToken()
        guard !self.repeatsHeader else { throw Rejection(.duplicateHeaders) }
        if let id = self.id, MessageID(id) == nil { throw Rejection(.badMessageID) }
        let expiration = try self.expiration(now: now)
        let priority = try self.knownPriority()
        let (topic, type) = try self.topicAndType()
        guard scope.contains(topic) else { throw Rejection(.topicDisallowed) }
        guard type.allows(priority) else { throw Rejection(.badPriority) }
        if let collapseID, !Self.isCollapseID(collapseID) { throw Rejection(.badCollapseID) }
        return ValidPush(
            id: id,
            token: token,
            topic: topic,
            payload: try self.payload(of: type),
            priority: priority,
            expiration: expiration,
            collapseID: self.collapseID
        )
    }

    /// A relay writes the ID into a header again, where a line break would be dangerous.
    private static func isCollapseID(_ text: String) -> Bool {
        text.utf8.count <= Limits.collapseIDBytesMax && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    private static let pathBeforeToken = "/3/device"

    private func deviceToken() throws(Rejection) -> DeviceToken {
        let (path, start) = (self.path.utf8, Self.pathBeforeToken.utf8)
        guard path.starts(with: start) else { throw Rejection(.badPath) }
        let rest = self.path[path.index(path.startIndex, offsetBy: start.count)...]
        guard let slash = rest.utf8.first else { throw Rejection(.missingDeviceToken) }
        let hex = rest.dropFirst()
        guard slash == UInt8(ascii: "/"), !hex.utf8.contains(UInt8(ascii: "/")) else { throw Rejection(.badPath) }
        guard !hex.isEmpty else { throw Rejection(.missingDeviceToken) }
        guard let token = DeviceToken(hex: hex) else { throw Rejection(.badDeviceToken) }
        return token
    }

    /// A past date means one attempt, like 0, because some clients send the current time instead of 0.
    private func expiration(now: WallTime) throws(Rejection) -> Expiration {
        let latest = now.seconds + Limits.storageSecondsMax
        guard let text = self.expiration else { return .until(latest) }
        guard let seconds = Int64(text), seconds >= 0 else { throw Rejection(.badExpirationDate) }
        return seconds <= now.seconds ? .once : .until(min(seconds, latest))
    }

    private func knownPriority() throws(Rejection) -> Priority {
        guard let text = self.priority else { return .immediate }
        guard let priority = Priority.allCases.first(where: { String($0.rawValue) == text }) else {
            throw Rejection(.badPriority)
        }
        return priority
    }

    /// Without a type, the topic's suffix decides: `.location-query` means `location`, and a plain topic `alert`.
    private func topicAndType() throws(Rejection) -> (String, PushType) {
        guard let topic = self.topic, !topic.isEmpty else { throw Rejection(.missingTopic) }
        guard Topic.isTopic(topic) else { throw Rejection(.badTopic) }
        let suffixed = PushType.suffixed(topic: topic)
        if let suffixed, !suffixed.matches(topic: topic) { throw Rejection(.badTopic) }
        guard let text = self.pushType else { return (topic, suffixed ?? .alert) }
        guard let type = PushType(rawValue: text), type.matches(topic: topic) else {
            throw Rejection(.invalidPushType)
        }
        return (topic, type)
    }

    /// A body that is not a JSON object is rejected as empty, because the app expects a dictionary.
    ///
    /// Apple does not document its answer; the other reasons would be less accurate.
    private func payload(of type: PushType) throws(Rejection) -> [UInt8] {
        switch self.body {
        case .overLimit: throw Rejection(.payloadTooLarge)
        case .bytes(let bytes):
            guard bytes.count <= type.payloadBytesMax else { throw Rejection(.payloadTooLarge) }
            guard JSONObject.isObject(bytes) else { throw Rejection(.payloadEmpty) }
            return bytes
        }
    }
}
