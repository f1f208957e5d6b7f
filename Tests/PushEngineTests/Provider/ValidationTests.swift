internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct ValidationTests {
    static let now = WallTime(seconds: 1_800_000_000)
    static let topic = "org.example.app.location-query"

    static func request(
        method: String = "POST",
        path: String = "/3/device/00ff",
        topic: String? = Self.topic,
        type: String? = nil,
        extra: [(String, String)] = [],
        body: PushRequest.Body = .bytes(Array("{}".utf8))
    ) -> PushRequest {
        var request = PushRequest()
        request.add(":method", method)
        request.add(":path", path)
        for (name, value) in extra { request.add(name, value) }
        if let topic { request.add(HeaderName.topic, topic) }
        if let type { request.add(HeaderName.pushType, type) }
        request.body = body
        return request
    }

    static func outcome(_ request: PushRequest, scope: TopicScope = .all) -> Result<ValidPush, Rejection> {
        Result { () throws(Rejection) in try request.validated(for: scope, id: "ID", now: Self.now) }
    }

    static func reason(_ request: PushRequest, scope: TopicScope = .all) -> Reason? {
        guard case .failure(let rejection) = Self.outcome(request, scope: scope) else { return nil }
        return rejection.reason
    }

    @Test func defaults() throws {
        let push = try Self.outcome(Self.request()).get()
        #expect(push.token.bytes == [0, 0xFF])
        #expect(push.topic == Self.topic)
        #expect(push.priority == .immediate)
        #expect(push.expiration == .until(Self.now.seconds + 30 * 86_400))
        #expect(push.collapseID == nil)
    }

    @Test(arguments: [
        ("/", Reason.badPath), ("", .badPath), ("/3", .badPath), ("/4/device/00", .badPath),
        ("/3/devices/00", .badPath), ("/3/device/00/", .badPath), ("3/device/00", .badPath),
        ("/3/device", .missingDeviceToken), ("/3/device/", .missingDeviceToken), ("/3/device/0", .badDeviceToken),
        ("/3/device/xy", .badDeviceToken), ("/3/device/" + String(repeating: "0", count: 202), .badDeviceToken),
    ])
    func path(path: String, reason: Reason) {
        #expect(Self.reason(Self.request(path: path)) == reason)
    }

    @Test(
        arguments: [
            (Self.topic, nil, nil), (Self.topic, "location", nil), (Self.topic, "alert", Reason.invalidPushType),
            (Self.topic, "voip", .invalidPushType), (Self.topic, "locations", .invalidPushType),
            (Self.topic, "", .invalidPushType), ("org.example.app", "location", .invalidPushType),
            ("org.example.app", nil, nil), ("org.example.app", "alert", nil), ("org.example.app.voip", "voip", nil),
            (nil, "location", .missingTopic), ("", "location", .missingTopic), (".location-query", nil, .badTopic),
            ("org.exa mple.location-query", nil, .badTopic), (String(repeating: "a", count: 256), nil, .badTopic),
        ] as [(String?, String?, Reason?)]
    )
    func topicAndType(topic: String?, type: String?, reason: Reason?) {
        #expect(Self.reason(Self.request(topic: topic, type: type)) == reason)
    }

    @Test(arguments: [
        ("org.example.app", true), ("org.example.app.voip", true), ("org.example.app.location-query", true),
        ("org.example.app2", false), ("org.example.app.other", false), ("org.example", false),
        ("org.example.app.other.voip", false),
    ])
    func aKeyPushesToItsAppsWithEveryKindOfPush(topic: String, isIn: Bool) {
        let scope = TopicScope.apps(["org.example.app", "org.example.second"])
        #expect(Self.reason(Self.request(topic: topic), scope: scope) == (isIn ? nil : .topicDisallowed))
    }

    @Test(arguments: [
        (HeaderName.id, "x", Reason.badMessageID), (HeaderName.priority, "2", .badPriority),
        (HeaderName.priority, "010", .badPriority), (HeaderName.priority, "", .badPriority),
        (HeaderName.expiration, "-1", .badExpirationDate), (HeaderName.expiration, "soon", .badExpirationDate),
        (HeaderName.expiration, "99999999999999999999", .badExpirationDate),
        (HeaderName.collapseID, String(repeating: "c", count: 65), .badCollapseID),
        (HeaderName.collapseID, String(repeating: "ü", count: 33), .badCollapseID),
    ])
    func badHeader(name: String, value: String, reason: Reason) {
        #expect(Self.reason(Self.request(extra: [(name, value)])) == reason)
    }

    @Test(arguments: HeaderName.request) func repeatedHeader(name: String) {
        #expect(Self.reason(Self.request(extra: [(name, "a"), (name, "a")])) == .duplicateHeaders)
    }

    @Test func unknownHeadersMayRepeat() {
        #expect(Self.reason(Self.request(extra: [("x", "1"), ("x", "2")])) == nil)
    }

    @Test(arguments: [
        ("0", Expiration.once), ("1", .once), ("1800000000", .once), ("1800000001", .until(1_800_000_001)),
        ("1802592000", .until(1_802_592_000)), ("1802592001", .until(1_802_592_000)),
    ])
    func expiration(value: String, expected: Expiration) throws {
        let push = try Self.outcome(Self.request(extra: [(HeaderName.expiration, value)])).get()
        #expect(push.expiration == expected)
    }

    @Test(arguments: [("10", Priority.immediate), ("5", .powerConsiderate), ("1", .powerFirst)])
    func priority(value: String, expected: Priority) throws {
        #expect(try Self.outcome(Self.request(extra: [(HeaderName.priority, value)])).get().priority == expected)
    }

    @Test func backgroundAtTenIsAnError() {
        let priority = [(HeaderName.priority, "5")]
        #expect(Self.reason(Self.request(topic: "org.example.app", type: "background")) == .badPriority)
        #expect(Self.reason(Self.request(topic: "org.example.app", type: "background", extra: priority)) == nil)
    }

    @Test(
        arguments: [
            (Self.topic, .bytes(Self.object(ofBytes: 4096)), nil),
            (Self.topic, .bytes(Self.object(ofBytes: 4097)), .payloadTooLarge),
            ("org.example.app.voip", .bytes(Self.object(ofBytes: 5120)), nil),
            (Self.topic, .overLimit, .payloadTooLarge), (Self.topic, .bytes([]), .payloadEmpty),
            (Self.topic, .bytes(Array(repeating: 1, count: 4096)), .payloadEmpty),
            (Self.topic, .bytes(Array(repeating: 1, count: 4097)), .payloadTooLarge),
            (Self.topic, .bytes(Array(#"{"a":007}"#.utf8)), .payloadEmpty),
        ] as [(String, PushRequest.Body, Reason?)]
    )
    func payload(topic: String, body: PushRequest.Body, reason: Reason?) {
        #expect(Self.reason(Self.request(topic: topic, body: body)) == reason)
    }

    static func object(ofBytes count: Int) -> [UInt8] {
        Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "a"), count: count - 8) + Array(#""}"#.utf8)
    }

    /// Headers are counted as HTTP/2 counts them, including meaningless ones.
    @Test func headersAreCounted() {
        var request = PushRequest()
        request.add("x", "1")
        request.add("x", "23")
        #expect(request.headerBytesCount == 2 * 33 + 3)
    }

    @Test func theRecordOfTheTokenDecides() throws {
        let push = try Self.outcome(Self.request()).get()
        let device = DeviceKey(bytes: [7])
        func outcome(_ record: TokenRecord?) -> Result<TokenRecord, Rejection> {
            Result { () throws(Rejection) in try push.admitted(by: record) }
        }
        #expect(outcome(nil) == .failure(Rejection(.badDeviceToken)))
        func record(topic: String, deadSince: WallTime?) -> TokenRecord {
            TokenRecord(token: push.token, device: device, topic: topic, usedAt: Self.now, unregisteredAt: deadSince)
        }
        let good = record(topic: Self.topic, deadSince: nil)
        #expect(outcome(good) == .success(good))
        let other = record(topic: "org.example.app", deadSince: Self.now)
        #expect(outcome(other) == .failure(Rejection(.deviceTokenNotForTopic)))
        let dead = record(topic: Self.topic, deadSince: Self.now)
        #expect(outcome(dead) == .failure(Rejection(.unregistered, timestamp: Self.now)))
    }
}
