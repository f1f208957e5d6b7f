internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// Tests for the channels of a mock, and the rejections that Apple documents.
@Suite struct MockChannelsTests {
    private static let app = "com.example.App"
    private static let terms = MockChannels.Terms(storage: 0, pushType: "LiveActivity", hasOthers: false)

    private static func request(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = [:],
        body: String = "{}"
    ) -> PushRequest {
        var request = PushRequest()
        request.add(":method", method)
        request.add(":scheme", "https")
        request.add(":path", path)
        for (name, value) in headers { request.add(name, value) }
        request.body = .bytes(Array(body.utf8))
        return request
    }

    private static func id(_ number: Int) throws -> ChannelID { try #require(ChannelID("ID\(number)")) }

    /// Applies a request to these channels.
    ///
    /// - Returns: its rejection; nil if it was accepted.
    private static func reason(
        _ request: PushRequest,
        _ terms: MockChannels.Terms? = nil,
        scope: TopicScope = .all,
        in channels: inout MockChannels
    ) throws -> Reason? {
        let id = try Self.id(99)
        do throws(Rejection) {
            _ = try channels.requested(request, terms, for: scope, newID: id)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Channels of the app: ID0, which stores nothing, and ID1, which stores the latest push.
    private static func channels() throws -> MockChannels {
        var channels = MockChannels()
        for storage in 0...1 {
            let terms = MockChannels.Terms(storage: storage, pushType: "LiveActivity", hasOthers: false)
            let answer = try channels.requested(
                Self.request("POST", "/1/apps/\(Self.app)/channels"),
                terms,
                for: .all,
                newID: Self.id(storage)
            )
            #expect(try answer == .created(Self.id(storage)) && answer.status == 201)
        }
        return channels
    }

    @Test func pathsAndMethods() throws {
        var channels = try Self.channels()
        for (method, path, reason) in [
            ("PUT", "/1/apps/\(Self.app)/channels", Reason.methodNotAllowed),
            ("POST", "/1/apps/\(Self.app)/all-channels", .methodNotAllowed),
            ("GET", "/4/broadcasts/apps/\(Self.app)", .methodNotAllowed),
            ("GET", "/1/apps/\(Self.app)/channel", .badPath), ("GET", "/1/apps//channels", .badPath),
            ("GET", "/1/apps/a b/channels", .badPath), ("POST", "/4/broadcasts/\(Self.app)", .badPath),
            ("GET", "/1/apps/\(Self.app)/channels/x", .badPath),
        ] {
            let request = Self.request(method, path)
            #expect(request.isAboutChannels)
            #expect(try Self.reason(request, in: &channels) == reason, "\(method) \(path)")
        }
        let list = Self.request("GET", "/1/apps/\(Self.app)/all-channels")
        #expect(try Self.reason(list, scope: .apps(["com.example.Other"]), in: &channels) == .topicMismatch)
        #expect(try Self.reason(list, scope: .apps([Self.app]), in: &channels) == nil)
        #expect(!Self.request("POST", "/3/device/aa").isAboutChannels)
    }

    @Test func aChannelIsCreatedOnApplesTerms() throws {
        var channels = try Self.channels()
        let create = Self.request("POST", "/1/apps/\(Self.app)/channels")
        typealias Terms = MockChannels.Terms
        for (terms, reason) in [
            (nil, Reason.badRequestPayload),
            (Terms(storage: nil, pushType: "LiveActivity", hasOthers: false), .badRequestParams),
            (Terms(storage: 2, pushType: "LiveActivity", hasOthers: false), .badRequestParams),
            (Terms(storage: 0, pushType: "LiveActivity", hasOthers: true), .badRequestParams),
            (Terms(storage: 0, pushType: nil, hasOthers: false), .missingPushType),
            (Terms(storage: 0, pushType: "Alert", hasOthers: false), .invalidPushType),
        ] as [(Terms?, Reason)] {
            #expect(try Self.reason(create, terms, in: &channels) == reason)
        }
        for _ in 2..<MockChannels.channelsMax {
            #expect(try Self.reason(create, Self.terms, in: &channels) == nil)
        }
        #expect(try Self.reason(create, Self.terms, in: &channels) == .cannotCreateChannelConfig)
        let other = Self.request("POST", "/1/apps/com.example.Other/channels")
        #expect(try Self.reason(other, Self.terms, in: &channels) == nil)
    }

    @Test(arguments: ["GET", "DELETE"]) func aChannelIsNamed(method: String) throws {
        var channels = try Self.channels()
        func reason(_ headers: [String: String], app: String = Self.app) throws -> Reason? {
            try Self.reason(Self.request(method, "/1/apps/\(app)/channels", headers), in: &channels)
        }
        #expect(try reason([:]) == .missingChannelID)
        #expect(try reason(["apns-channel-id": "ID-0"]) == .badChannelID)
        #expect(try reason(["apns-channel-id": "ID7"]) == .channelNotRegistered)
        #expect(try reason(["apns-channel-id": "ID0"], app: "com.example.Other") == .channelNotRegistered)
        #expect(try reason(["apns-channel-id": "ID0", "apns-request-id": "x"]) == .badMessageID)
        #expect(try reason(["apns-channel-id": "ID0"]) == nil)
        #expect(try reason(["apns-channel-id": "ID0"]) == (method == "GET" ? nil : .channelNotRegistered))
    }

    @Test func aBroadcastNeedsAllItsHeaders() throws {
        var channels = try Self.channels()
        let good = [
            "apns-channel-id": "ID0", "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0",
        ]
        func reason(_ changes: [String: String?], body: String = "{}") throws -> Reason? {
            let headers = good.merging(changes.mapValues { $0 ?? "" }) { $1 }.filter { !$0.value.isEmpty }
            let request = Self.request("POST", "/4/broadcasts/apps/\(Self.app)", headers, body: body)
            return try Self.reason(request, in: &channels)
        }
        #expect(try reason([:]) == nil)
        #expect(try reason(["apns-channel-id": nil]) == .missingChannelID)
        #expect(try reason(["apns-channel-id": "ID7"]) == .channelNotRegistered)
        #expect(try reason(["apns-push-type": nil]) == .missingPushType)
        #expect(try reason(["apns-push-type": "alert"]) == .invalidPushType)
        #expect(try reason(["apns-priority": nil]) == .badPriority)
        #expect(try reason(["apns-priority": "7"]) == .badPriority)
        for expiration in [nil, "-1", "soon", "2000000000"] {
            #expect(try reason(["apns-expiration": expiration]) == .badExpirationDate)
        }
        #expect(try reason(["apns-channel-id": "ID1", "apns-expiration": "2000000000"]) == nil)
        #expect(try reason([:], body: "") == .payloadEmpty)
        #expect(try reason([:], body: "[]") == .payloadEmpty)
    }
}
