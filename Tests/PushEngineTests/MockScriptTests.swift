internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@Suite struct MockScriptTests {
    private static let now = WallTime(seconds: 1_800_000_000)
    private static let claims = ProviderClaims(teamID: "TEAM", keyID: "KEY", issuedAt: now, scope: .all)

    private static func push(token: String = "aa", topic: String = "com.example.App") throws -> ValidPush {
        try Self.request(token: token, ["apns-topic": topic]).validated(for: .all, id: "ID", now: Self.now)
    }

    private static func request(
        token: String = "aa",
        _ headers: [String: String],
        payload: String = "{}"
    ) -> PushRequest {
        var request = PushRequest()
        request.add(":method", "POST")
        request.add(":path", "/3/device/\(token)")
        for (name, value) in headers { request.add(name, value) }
        request.body = .bytes(Array(payload.utf8))
        return request
    }

    /// Each rule of the matrix, and whether it applies to the first, second, third and fourth push.
    @Test(arguments: [
        (nil, nil, [true, true, true, true]),
        (nil, 2, [true, true, false, false]),
        (3, nil, [false, false, true, false]),
        (2, 2, [false, true, true, false]),
        (5, 9, [false, false, false, false]),
    ])
    func aRuleAppliesToTheNthPushAndAsManyAsItSays(_ nth: Int?, _ times: Int?, _ applies: [Bool]) throws {
        var script = MockScript([.init(nth: nth, times: times, .reject(.tooManyRequests))])
        let outcomes = try applies.map { _ in script.pushReceived(try Self.push(), in: .production) }
        #expect(outcomes.map(\.isScripted) == applies)
        #expect(outcomes.map(\.end) == applies.map { $0 ? .reject(.tooManyRequests) : .accept })
        #expect(script.counts == [applies.count])
    }

    /// Each combination of a rule's token and topic with a push's.
    @Test(arguments: [nil, "aa", "bb"], [nil, "com.example.App", "com.example.Other"])
    func aRuleMatchesItsTokenAndItsTopic(_ token: String?, _ topic: String?) throws {
        let rule = MockScript.Rule(token: token.flatMap { DeviceToken(hex: $0) }, topic: topic, .silence)
        var script = MockScript([rule])
        let outcome = script.pushReceived(try Self.push(), in: .production)
        let matches = (token ?? "aa") == "aa" && (topic ?? "com.example.App") == "com.example.App"
        #expect(outcome.end == (matches ? .silence : .accept))
        #expect(script.counts == [matches ? 1 : 0])
    }

    @Test func everyRuleCountsAndTheFirstThatAppliesDecides() throws {
        var script = MockScript([.init(nth: 2, .silence), .init(nth: 2, times: 2, .close)])
        script.append([.init(nth: 4, delay: .seconds(2), .accept)])
        let outcomes = try (0..<4).map { _ in script.pushReceived(try Self.push(), in: .production) }
        #expect(outcomes.map(\.end) == [.accept, .silence, .close, .accept])
        #expect(outcomes.map(\.isScripted) == [false, true, true, true])
        #expect(outcomes[3].delay == .seconds(2))
        #expect(script.counts == [4, 4, 4])
    }

    @Test func onlyRegisteredTokensAreAcceptedOnceThereAreAny() throws {
        let since = WallTime(seconds: 7)
        func token(_ hex: String) throws -> DeviceToken { try #require(DeviceToken(hex: hex)) }
        let tokens: [DeviceToken: MockScript.Registration] = try [
            token("aa"): .init(topic: "com.example.App"),
            token("bb"): .init(topic: "com.example.Other"),
            token("cc"): .init(topic: "com.example.App", unregisteredAt: since),
            token("dd"): .init(topic: "com.example.App", environment: .sandbox),
        ]
        var script = MockScript([.init(.close)], tokens: tokens)
        let ends = try ["aa", "bb", "cc", "dd", "ee"].map { token in
            script.pushReceived(try Self.push(token: token), in: .production).end
        }
        let expected: [MockScript.End] = [
            .close, .reject(.deviceTokenNotForTopic), .reject(.unregistered, timestamp: since),
            .reject(.badDeviceToken), .reject(.badDeviceToken),
        ]
        #expect(ends == expected)
        #expect(script.counts == [1])
        #expect(script.pushReceived(try Self.push(token: "dd"), in: .sandbox).end == .close)
    }

    // MARK: Findings

    private static func findings(
        _ headers: [String: String],
        _ aps: MockReview.APSMembers = MockReview.APSMembers(names: ["alert"])
    ) throws -> [MockFinding] {
        var review = MockReview()
        let request = Self.request(headers)
        let push = try request.validated(for: .all, id: "ID", now: Self.now)
        return review.findings(in: push, request, aps, from: Self.claims, now: Self.now)
    }

    @Test func aPushWithoutMistakesHasNoFindings() throws {
        for headers in [
            ["apns-topic": "a", "apns-push-type": "alert"],
            ["apns-topic": "a", "apns-push-type": "alert", "apns-expiration": "0"],
            ["apns-topic": "a", "apns-push-type": "alert", "apns-expiration": "1802592000"],
            ["apns-topic": "a.location-query", "apns-push-type": "location"],
        ] {
            #expect(try Self.findings(headers).isEmpty, "\(headers)")
        }
    }

    @Test func whatAppleDoesNotReportIsFound() throws {
        let quiet = MockReview.APSMembers(names: ["content-available"], isContentAvailable: true)
        let empty = MockReview.APSMembers()
        func type(_ type: String, _ topic: String = "a") -> [String: String] {
            ["apns-topic": topic, "apns-push-type": type, "apns-priority": "5"]
        }
        #expect(try Self.findings(["apns-topic": "a"]) == [.pushTypeMissing(.alert)])
        #expect(try Self.findings(["apns-topic": "a", "apns-priority": "5"], quiet) == [.pushTypeMissing(.background)])
        #expect(try Self.findings(["apns-topic": "a.voip"]) == [.pushTypeMissing(.voip)])
        #expect(try Self.findings(type("alert"), quiet) == [.alertPushShowsNothing])
        #expect(try Self.findings(type("background"), quiet) == [])
        #expect(try Self.findings(type("background"), empty) == [.contentAvailableMissing])
        #expect(try Self.findings(type("background")) == [.contentAvailableMissing, .backgroundPushShowsSomething])
        #expect(try Self.findings(type("location", "a.location-query"), quiet) == [.contentAvailableOnLocationPush])
        let activity = try Self.findings(type("liveactivity", "a.push-type.liveactivity"))
        #expect(activity == [.liveActivityIncomplete(["timestamp", "event"])])
        let past = ["apns-topic": "a", "apns-push-type": "alert", "apns-expiration": "1799999990"]
        #expect(try Self.findings(past) == [.expirationPast(seconds: 10)])
        let milliseconds = ["apns-topic": "a", "apns-push-type": "alert", "apns-expiration": "1800000000000"]
        #expect(try Self.findings(milliseconds) == [.expirationTooLate])
    }

    /// Goal: a client that signs a new token for each push gets an error, also on a new connection.
    @Test func aProviderTokenThatIsMadeAgainTooEarlyIsFound() throws {
        var review = MockReview()
        let request = Self.request(["apns-topic": "a", "apns-push-type": "alert"])
        let push = try request.validated(for: .all, id: "ID", now: Self.now)
        let ages: [Int64] = [0, 0, 1199, 2398, 2398, 3598, 3597]
        let findings = ages.map { age in
            let claims = ProviderClaims(
                teamID: "TEAM",
                keyID: "KEY",
                issuedAt: Self.now.advanced(by: .seconds(age)),
                scope: .all
            )
            let aps = MockReview.APSMembers(names: ["alert"])
            return review.findings(in: push, request, aps, from: claims, now: Self.now)
        }
        let tooEarly = MockFinding.providerTokenMadeAgain(afterSeconds: 1199)
        #expect(findings == [[], [], [tooEarly], [tooEarly], [], [], []])
    }

    @Test func aRejectionIsExplainedWithTheValuesOfThePush() {
        func words(_ reason: Reason, _ headers: [String: String]) -> String {
            MockReview.explanation(of: reason, Self.request(headers)) ?? ""
        }
        let mismatch = words(.invalidPushType, ["apns-topic": "com.a.location-query", "apns-push-type": "alert"])
        #expect(
            mismatch == "apns-push-type alert does not go with apns-topic com.a.location-query. Send apns-topic com.a, "
                + "or send apns-push-type location."
        )
        let plain = words(.invalidPushType, ["apns-topic": "com.a", "apns-push-type": "location"])
        #expect(plain.hasSuffix("Send apns-topic com.a.location-query."))
        #expect(words(.invalidPushType, ["apns-topic": "a", "apns-push-type": "x"]).contains("Send one of alert, "))
        #expect(words(.badPriority, ["apns-push-type": "background"]).contains("Send apns-priority 5"))
        #expect(words(.badPriority, ["apns-priority": "7"]).contains("'7'"))
        #expect(words(.badCollapseID, ["apns-collapse-id": String(repeating: "x", count: 65)]).contains("65 bytes"))
    }
}
