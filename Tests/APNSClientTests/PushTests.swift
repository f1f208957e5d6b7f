internal import FakeAPNS
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests for requests as the server receives them, and for pushes that the client rejects.
@Suite(.timeLimit(.minutes(2))) struct PushTests {
    @Test func aLocationPushHasItsHeaders() async throws {
        try await Sender.run { client, server in
            var push = try Sender.push()
            push.id = MessageID("123E4567-E89B-12D3-A456-42665544000A")
            push.expiration = .until(1_900_000_000)
            push.collapseID = "ride"
            push.payload = try PushPayload(aps: APS(), custom: ["request": "x"])
            for _ in 0..<2 { _ = try await client.send(push).get() }
            // The second request refers to the first one's header table.
            for request in server.requests {
                #expect(request.body == #"{"aps":{},"request":"x"}"#)
                let token = try #require(request.headers["authorization"])
                #expect(token.hasPrefix("bearer ") && token.split(separator: ".").count == 3)
                #expect(
                    request.headers.filter { $0.key != "authorization" } == [
                        ":method": "POST", ":scheme": "https", ":authority": "localhost", ":path": "/3/device/0102ff",
                        "apns-push-type": "location", "apns-topic": "org.example.FindFriends.location-query",
                        "apns-priority": "10", "apns-id": "123e4567-e89b-12d3-a456-42665544000a",
                        "apns-expiration": "1900000000", "apns-collapse-id": "ride",
                    ]
                )
            }
            #expect(server.requests[0].headers["authorization"] == server.requests[1].headers["authorization"])
        }
    }

    @Test(arguments: PushType.allCases) func eachTypeHasItsTopicAndPriority(type: PushType) async throws {
        try await Sender.run { client, server in
            _ = try await client.send(Sender.push(type)).get()
            let headers = try #require(server.requests.first).headers
            #expect(headers["apns-push-type"] == type.rawValue)
            #expect(headers["apns-topic"] == Sender.app + type.topicSuffix)
            #expect(headers["apns-priority"] == (type == .background ? "5" : "10"))
            #expect(headers["apns-expiration"] == nil && headers["apns-collapse-id"] == nil)
        }
    }

    /// Goal: the client rejects a push that every server would reject, before it sends any part of it.
    @Test(
        arguments: [
            (bundle: "a\r\nb", collapse: "c", .badTopic), (bundle: "a\0b", collapse: "c", .badTopic),
            (bundle: "a\nx: y", collapse: "c", .badTopic), (bundle: "ä", collapse: "c", .badTopic),
            (bundle: "", collapse: "c", .badTopic),
            (bundle: String(repeating: "a", count: 156), collapse: "c", .badTopic),
            (bundle: "a", collapse: "a\r\nb", .badCollapseID), (bundle: "a", collapse: "", .badCollapseID),
            (bundle: "a", collapse: " a", .badCollapseID),
            (bundle: "a", collapse: String(repeating: "ä", count: 33), .badCollapseID),
        ] as [(bundle: String, collapse: String, Reason)]
    )
    func aMistakeEndsAlone(bundle: String, collapse: String, reason: Reason) async throws {
        try await Sender.run { client, server in
            _ = try await client.send(Sender.push()).get()
            var broken = try Sender.push()
            broken.bundleIdentifier = bundle
            broken.collapseID = collapse
            let push = broken
            let error = await #expect(throws: APNSError.self) { try await client.send(push).get() }
            #expect(error?.code == .malformedPush && error?.reason == reason)
            _ = try await client.send(Sender.push()).get()
            #expect(server.requests.count == 2 && server.connections == 1)
        }
    }

    @Test func otherMistakesAreFound() throws {
        var push = try Sender.push(.background)
        push.priority = .immediate
        #expect(push.mistake == .badPriority)
        for (type, count, mistake) in [
            (PushType.alert, 4096, nil), (.alert, 4097, .payloadTooLarge), (.voip, 5120, nil),
            (.voip, 5121, .payloadTooLarge),
        ] as [(PushType, Int, Reason?)] {
            var push = try Sender.push(type)
            let text = #"{"x":""# + String(repeating: "x", count: count - 8) + #""}"#
            push.payload = try PushPayload(json: Array(text.utf8))
            #expect(push.mistake == mistake, "\(type) with \(count) bytes")
        }
    }

    @Test func payloadsAreObjects() throws {
        #expect(PushPayload.empty.bytes == Array("{}".utf8))
        for text in ["", "[]", "{", "1", #"{"a":01}"#] {
            #expect(throws: APNSError.self, "\(text)") { try PushPayload(json: Array(text.utf8)) }
        }
        #expect(throws: APNSError.self) { try PushPayload(encoding: [1]) }
        #expect(throws: APNSError.self) { try PushPayload(aps: APS(), custom: ["aps": 1]) }
    }

    @Test func theDictionaryOfApplesIsWritten() throws {
        var aps = APS(alert: APS.Alert(title: "A", body: "B"), badge: 2, sound: "default")
        aps.isContentAvailable = true
        aps.isMutable = true
        aps.interruptionLevel = .timeSensitive
        aps.threadID = "T"
        let payload = try PushPayload(aps: aps, custom: ["n": 1, "list": ["a"]])
        #expect(
            String(decoding: payload.bytes, as: UTF8.self) == #"{"aps":{"alert":{"body":"B","title":"A"},"badge":2,"#
                + #""content-available":1,"interruption-level":"time-sensitive","mutable-content":1,"sound":"default","#
                + #""thread-id":"T"},"list":["a"],"n":1}"#
        )
    }

    @Test func textsAndSoundsOfTheAppAreWritten() throws {
        var alert = APS.Alert(subtitle: "S")
        alert.localizedTitle = APS.Localized("TITLE")
        alert.localizedBody = APS.Localized("BODY", ["Alice", "3"])
        alert.launchImage = "map"
        var aps = APS(alert: alert, sound: APS.Sound("siren.caf", criticalVolume: 0.5))
        aps.targetContentID = "window"
        aps.filterCriteria = "work"
        #expect(
            String(decoding: try PushPayload(aps: aps).bytes, as: UTF8.self)
                == #"{"aps":{"alert":{"launch-image":"map","loc-args":["Alice","3"],"loc-key":"BODY","subtitle":"S","#
                + #""title-loc-key":"TITLE"},"filter-criteria":"work","#
                + #""sound":{"critical":1,"name":"siren.caf","volume":0.5},"target-content-id":"window"}}"#
        )
    }

    @Test func eventsOfALiveActivityAreWritten() throws {
        let event = LiveActivity.Event.start(attributesType: "Trip", attributes: ["to": "Berlin"])
        var start = LiveActivity(event, contentState: ["km": 12], timestamp: 100)
        #expect(throws: APNSError.self) { try PushPayload(liveActivity: start) }
        let body = LiveActivity.Text.localized(APS.Localized("TO", ["Berlin"]))
        start.alert = LiveActivity.Alert(title: "Off", body: body, sound: "default")
        #expect(
            String(decoding: try PushPayload(liveActivity: start).bytes, as: UTF8.self)
                == #"{"aps":{"alert":{"body":{"loc-args":["Berlin"],"loc-key":"TO"},"sound":"default","title":"Off"},"#
                + #""attributes":{"to":"Berlin"},"attributes-type":"Trip","#
                + #""content-state":{"km":12},"event":"start","timestamp":100}}"#
        )
        var end = LiveActivity(.end, contentState: ["km": 0], timestamp: 200)
        end.staleDate = 300
        end.dismissalDate = 400
        end.relevanceScore = 1
        #expect(
            String(decoding: try PushPayload(liveActivity: end).bytes, as: UTF8.self)
                == #"{"aps":{"content-state":{"km":0},"dismissal-date":400,"event":"end","relevance-score":1,"#
                + #""stale-date":300,"timestamp":200}}"#
        )
    }

    /// Goal: the event that starts a live activity names the source of its updates, as iOS 18 allows; later events do
    /// not.
    @Test func aStartedActivityFollowsAChannel() throws {
        let start = LiveActivity.Event.start(attributesType: "Trip", attributes: ["to": "Berlin"])
        func text(_ event: LiveActivity.Event, _ source: LiveActivity.Source?) throws -> String {
            let alert = LiveActivity.Alert(title: "A", body: "B")
            var activity = LiveActivity(event, contentState: ["km": 1], timestamp: 1, alert: alert)
            activity.source = source
            return String(decoding: try PushPayload(liveActivity: activity).bytes, as: UTF8.self)
        }
        let channel = LiveActivity.Source.channel(try #require(ChannelID("dHN0/A==")))
        #expect(try text(start, channel).contains(#""event":"start","input-push-channel":"dHN0/A==","timestamp""#))
        #expect(try text(start, .token).contains(#""event":"start","input-push-token":1,"timestamp""#))
        #expect(try !text(start, nil).contains("input-push"))
        #expect(try !text(.update, channel).contains("input-push"))
    }

    /// Goal: each reason has a description and a next step.
    ///
    /// The client does not repeat a push that would always be rejected.
    @Test(arguments: Reason.allCases) func eachReasonHasARemedy(reason: Reason) {
        #expect(!reason.advice.isEmpty)
        if case .sendAgain = reason.remedy {
            #expect(reason.status == 429 || reason.status >= 500 || reason == .idleTimeout)
        }
        #expect((reason.remedy == .forgetToken) == (reason.status == 410))
    }

    /// Goal: a relay's rejection has a description and a next step, and never makes the caller delete a valid device
    /// token.
    @Test(arguments: RelayWord.allCases) func aRelaysWordHasARemedy(word: RelayWord) async throws {
        let body = #"{"reason":"Unregistered","timestamp":1800000000123}"#
        let answer = FakeAPNS.Action.reject(
            status: 410,
            body: body,
            headers: ["whereabouts-relay": word == .unknown ? "of a later version" : word.rawValue]
        )
        try await Sender.run([answer]) { client, server in
            guard case .rejected(let rejected) = try await client.send(Sender.push()) else {
                Issue.record("it was not rejected")
                return
            }
            #expect(rejected.relay == word && rejected.reason == .unregistered)
            #expect((rejected.remedy == .forgetToken) == (word == .apple))
            #expect((rejected.advice == Reason.unregistered.advice) == (word == .apple))
            #expect((rejected.remedy == .decide) == (word == .unanswered))
        }
    }
}
