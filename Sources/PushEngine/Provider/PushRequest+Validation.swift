internal import APNS
internal import Vocabulary

extension PushRequest {
    /// The id that the response carries when the request has one that is well formed.
    public var messageID: String? {
        self.value(of: HeaderName.id).flatMap { MessageID($0)?.text }
    }

    /// Checks everything that can be checked without looking at the device tokens.
    ///
    /// Apple documents no order. Ours: the provider token comes first, so that a stranger learns nothing about the
    /// rest; then the request line, the headers, the payload. The device token comes last, in
    /// ``ValidPush/admitted(by:)``.
    ///
    /// - Parameters:
    ///   - provider: the connection's decision about the provider token.
    ///   - now: the time, for expirations.
    /// - Returns: the push, well formed.
    /// - Throws: the rejection to answer with.
    func validated(provider: ProviderTokens.OnToken, now: WallTime) throws(Rejection) -> ValidPush {
        let scope: TopicScope
        switch provider {
        case .accept(let apps): scope = apps
        case .reject(let reason): throw Rejection(reason)
        }
        guard self.method == "POST" else { throw Rejection(.methodNotAllowed) }
        let token = try self.deviceToken()
        for name in HeaderName.request where self.headers.count(where: { $0.name == name }) > 1 {
            throw Rejection(.duplicateHeaders)
        }
        if let id = self.value(of: HeaderName.id), MessageID(id) == nil { throw Rejection(.badMessageID) }
        let expiration = try self.expiration(now: now)
        let priority = try self.priority()
        let (topic, type) = try self.topicAndType()
        guard scope.contains(topic) else { throw Rejection(.topicDisallowed) }
        guard type.allows(priority) else { throw Rejection(.badPriority) }
        let collapseID = self.value(of: HeaderName.collapseID)
        guard (collapseID?.utf8.count ?? 0) <= Limits.collapseIDBytesMax else { throw Rejection(.badCollapseID) }
        return ValidPush(
            token: token,
            topic: topic,
            payload: try self.payload(of: type),
            priority: priority,
            expiration: expiration,
            collapseID: collapseID
        )
    }

    private func deviceToken() throws(Rejection) -> DeviceToken {
        let parts = self.path.split(separator: "/", omittingEmptySubsequences: false)
        // An absolute path begins with an empty part.
        guard parts.count >= 3, parts[0].isEmpty, parts[1] == "3", parts[2] == "device", parts.count <= 4 else {
            throw Rejection(.badPath)
        }
        guard parts.count == 4, !parts[3].isEmpty else { throw Rejection(.missingDeviceToken) }
        guard let token = DeviceToken(hex: parts[3]) else { throw Rejection(.badDeviceToken) }
        return token
    }

    /// A date that is over means one attempt, as 0 does: some clients send the present when they mean 0.
    private func expiration(now: WallTime) throws(Rejection) -> Expiration {
        let latest = now.seconds + Limits.storageSecondsMax
        guard let text = self.value(of: HeaderName.expiration) else { return .until(latest) }
        guard let seconds = Int64(text), seconds >= 0 else { throw Rejection(.badExpirationDate) }
        return seconds <= now.seconds ? .once : .until(min(seconds, latest))
    }

    private func priority() throws(Rejection) -> Priority {
        guard let text = self.value(of: HeaderName.priority) else { return .immediate }
        guard let priority = Priority.allCases.first(where: { String($0.rawValue) == text }) else {
            throw Rejection(.badPriority)
        }
        return priority
    }

    /// Without a type the topic's suffix tells it, so that `.location-query` means `location`; a plain topic: `alert`.
    private func topicAndType() throws(Rejection) -> (String, PushType) {
        guard let topic = self.value(of: HeaderName.topic), !topic.isEmpty else { throw Rejection(.missingTopic) }
        guard Topic.isTopic(topic) else { throw Rejection(.badTopic) }
        let suffixed = PushType.suffixed(topic: topic)
        if let suffixed, !suffixed.matches(topic: topic) { throw Rejection(.badTopic) }
        guard let text = self.value(of: HeaderName.pushType) else { return (topic, suffixed ?? .alert) }
        guard let type = PushType(rawValue: text), type.matches(topic: topic) else {
            throw Rejection(.invalidPushType)
        }
        return (topic, type)
    }

    /// A body that is no JSON object counts as empty: the app gets a dictionary, and there would be nothing in it.
    ///
    /// Apple does not document what it answers; the other reasons would be less true.
    private func payload(of type: PushType) throws(Rejection) -> [UInt8] {
        switch self.body {
        case .overLimit: throw Rejection(.payloadTooLarge)
        case .notAnObject(let count): throw Rejection(count > type.payloadBytesMax ? .payloadTooLarge : .payloadEmpty)
        case .object(let bytes):
            guard bytes.count <= type.payloadBytesMax else { throw Rejection(.payloadTooLarge) }
            return bytes
        }
    }
}
