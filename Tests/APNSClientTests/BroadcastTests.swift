internal import FakeAPNS
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests for broadcast pushes and for the channels that they are sent to.
@Suite(.timeLimit(.minutes(2))) struct BroadcastTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    private static func channelID() throws -> ChannelID { try #require(ChannelID(Self.channel)) }

    private static func broadcast() throws -> Broadcast {
        let event = LiveActivity(.update, contentState: ["km": 1], timestamp: 100)
        return Broadcast(
            to: try Self.channelID(),
            bundleIdentifier: Sender.app,
            payload: try PushPayload(liveActivity: event)
        )
    }

    @Test func aBroadcastHasApplesHeaders() async throws {
        let id = "123E4567-E89B-12D3-A456-4266554400A0"
        let answer = FakeAPNS.Action.accept(["apns-unique-id": "U"])
        try await Sender.run([answer]) { client, server in
            var broadcast = try Self.broadcast()
            broadcast.id = MessageID(id)
            broadcast.priority = .powerConsiderate
            broadcast.expiration = .until(2_000_000_000)
            #expect(try await client.send(broadcast).get().uniqueID == "U")
            let request = try #require(server.requests.first)
            var headers = request.headers
            #expect(headers.removeValue(forKey: "authorization")?.hasPrefix("bearer ") == true)
            #expect(
                headers == [
                    ":method": "POST", ":scheme": "https", ":authority": "localhost",
                    ":path": "/4/broadcasts/apps/\(Sender.app)", "apns-push-type": "liveactivity",
                    "apns-channel-id": Self.channel, "apns-priority": "5", "apns-expiration": "2000000000",
                    "apns-request-id": id.lowercased(),
                ]
            )
            #expect(request.body == #"{"aps":{"content-state":{"km":1},"event":"update","timestamp":100}}"#)
        }
    }

    /// Goal: a broadcast has the priority and expiration that Apple requires.
    ///
    /// The defaults suit a channel that stores no messages.
    @Test func theUsualBroadcastIsSentAtOnceAndNotStored() async throws {
        try await Sender.run { client, server in
            _ = try await client.send(Self.broadcast()).get()
            let headers = try #require(server.requests.first).headers
            #expect(headers["apns-priority"] == "10" && headers["apns-expiration"] == "0")
            #expect(headers["apns-request-id"].flatMap { MessageID($0) } != nil)
        }
    }

    @Test func aBroadcastIsCheckedBeforeItIsSent() async throws {
        try await Sender.run { client, server in
            var broadcast = try Self.broadcast()
            for (count, isSent) in [(5120, true), (5121, false)] {
                let text = #"{"x":""# + String(repeating: "x", count: count - 8) + #""}"#
                broadcast.payload = try PushPayload(json: Array(text.utf8))
                guard case .failed(let error) = await client.send(broadcast) else {
                    #expect(isSent, "\(count) bytes")
                    continue
                }
                #expect(!isSent && error.reason == .payloadTooLarge)
            }
            broadcast = try Self.broadcast()
            broadcast.bundleIdentifier = "a/../b"
            let bad = broadcast
            let error = await #expect(throws: APNSError.self) { try await client.send(bad).get() }
            #expect(error?.reason == .badTopic && server.requests.count == 1)
        }
    }

    @Test(arguments: [Reason.channelNotRegistered, .featureNotEnabled, .topicMismatch])
    func aRejectionHasItsReason(reason: Reason) async throws {
        let body = #"{"reason":"\#(reason.rawValue)"}"#
        try await Sender.run([.reject(status: reason.status, body: body)]) { client, _ in
            let error = await #expect(throws: APNSError.self) { try await client.send(Self.broadcast()).get() }
            #expect(error?.reason == reason && error?.message.contains(reason.advice) == true)
        }
    }

    /// Apple's table of errors has this reason with a space.
    @Test func aReasonWithASpaceIsUnderstood() async throws {
        try await Sender.run([.reject(status: 503, body: #"{"reason":"Service Unavailable"}"#)]) { client, _ in
            let error = await #expect(throws: APNSError.self) { try await client.send(Self.broadcast()).get() }
            #expect(error?.reason == .serviceUnavailable)
        }
    }

    // MARK: Channels

    @Test(arguments: [(ChannelStorage.nothing, 0), (.latest, 1)])
    func aChannelIsCreated(storage: ChannelStorage, policy: Int) async throws {
        let answer = FakeAPNS.Action.reject(status: 201, body: "", headers: ["apns-channel-id": Self.channel])
        try await Sender.run([answer]) { client, server in
            let channel = try await client.createChannel(of: Sender.app, storage: storage)
            #expect(channel.text == Self.channel)
            let request = try #require(server.requests.first)
            #expect(request.headers[":method"] == "POST")
            #expect(request.headers[":path"] == "/1/apps/\(Sender.app)/channels")
            #expect(request.headers["apns-request-id"].flatMap { MessageID($0) } != nil)
            #expect(request.headers["authorization"] != nil && request.headers["apns-channel-id"] == nil)
            #expect(request.body == #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        }
    }

    @Test func aChannelIsReadAndDeleted() async throws {
        let actions: [FakeAPNS.Action] = [
            .reject(status: 200, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#),
            .reject(status: 204, body: ""), .reject(status: 400, body: #"{"reason":"ChannelNotRegistered"}"#),
        ]
        try await Sender.run(actions) { client, server in
            let channel = try Self.channelID()
            #expect(try await client.fetchChannel(channel, of: Sender.app) == .latest)
            try await client.deleteChannel(channel, of: Sender.app)
            let error = await #expect(throws: APNSError.self) {
                try await client.deleteChannel(channel, of: Sender.app)
            }
            #expect(error?.reason == .channelNotRegistered)
            #expect(server.requests.map { $0.headers[":method"] } == ["GET", "DELETE", "DELETE"])
            for request in server.requests {
                #expect(request.headers[":path"] == "/1/apps/\(Sender.app)/channels" && request.body.isEmpty)
                #expect(request.headers["apns-channel-id"] == Self.channel)
            }
        }
    }

    /// Goal: the reply can list the maximum number of channels of an app, although it is larger than a stream's window.
    @Test func allChannelsAreListed() async throws {
        let ids = (0..<10_000).map { Data("channel number \($0)".utf8).base64EncodedString() }
        let body = #"{"channels":["\#(ids.joined(separator: #"",""#))"]}"#
        #expect(body.utf8.count > 200_000)
        try await Sender.run([.reject(status: 200, body: body)]) { client, server in
            #expect(try await client.fetchChannels(of: Sender.app).map(\.text) == ids)
            let request = try #require(server.requests.first)
            #expect(request.headers[":path"] == "/1/apps/\(Sender.app)/all-channels")
            #expect(request.headers[":method"] == "GET")
        }
    }

    /// Goal: a 200 reply without a channel ID is an error, not a created channel.
    @Test func anotherServersAnswerIsNone() async throws {
        let answers: [FakeAPNS.Action] = [
            .accept(), .reject(status: 201, body: ""), .accept(), .reject(status: 200, body: "[]"),
        ]
        try await Sender.run(answers) { client, server in
            let channel = try Self.channelID()
            for _ in 0..<2 {
                let error = await #expect(throws: APNSError.self) {
                    try await client.createChannel(of: Sender.app, storage: .nothing)
                }
                #expect(error?.code == .unexpectedResponse && error?.message.contains("appleChannels") == true)
            }
            let read = await #expect(throws: APNSError.self) { try await client.fetchChannel(channel, of: Sender.app) }
            let list = await #expect(throws: APNSError.self) { try await client.fetchChannels(of: Sender.app) }
            #expect(read?.code == .unexpectedResponse && list?.code == .unexpectedResponse)
            let bad = await #expect(throws: APNSError.self) { try await client.fetchChannels(of: "a/b") }
            #expect(bad?.code == .malformedPush && server.requests.count == 4)
        }
    }

    @Test func applesServersOfChannelsAreNamed() {
        let (production, development) = (Endpoint.appleChannels(.production), Endpoint.appleChannels(.development))
        #expect(production.host == "api-manage-broadcast.push.apple.com" && production.port == 2196)
        #expect(development.host == "api-manage-broadcast.sandbox.push.apple.com" && development.port == 2195)
        #expect(production.environment == .production && development.environment == .development)
    }
}
