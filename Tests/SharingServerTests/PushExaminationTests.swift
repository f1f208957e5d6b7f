internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

@testable internal import WhereaboutsCommand

/// Goal: `whereabouts push --check` finds mistakes that no server can report.
struct PushExaminationTests {
    private static func push(
        _ type: PushType = .location,
        token: [UInt8] = Array(1...32),
        app: String = "com.example.FindFriends",
        payload: String = "{}",
        priority: Priority? = nil
    ) throws -> Push {
        Push(
            type,
            token: try #require(DeviceToken(bytes: token)),
            bundleIdentifier: app,
            payload: try PushPayload(json: Array(payload.utf8)),
            priority: priority
        )
    }

    private static func odd(
        _ push: Push,
        to endpoint: Endpoint = .apple(.production),
        keyPath: String = "/nowhere/AuthKey_ABCDE12345.p8",
        keyID: String = "ABCDE12345",
        teamID: String = "FGHIJ67890"
    ) -> [String] {
        PushExamination(
            push: push,
            endpoint: endpoint,
            keyPath: keyPath,
            keyID: keyID,
            teamID: teamID,
            isForNobody: false
        ).findings.filter { !$0.isGood }.map(\.part)
    }

    @Test func aGoodPushHasNothingOdd() throws {
        #expect(try Self.odd(Self.push()) == [])
    }

    /// Goal: our gateway has its own rules for keys and tokens; a push that obeys them has no finding.
    @Test func gatewayHasItsOwnKeysAndTokens() throws {
        let gateway = Endpoint(host: "localhost", port: 2197)
        #expect(try Self.odd(Self.push(token: Array(1...16)), to: gateway, teamID: "ABCDE12345") == [])
    }

    @Test func eachMistakeIsSeen() throws {
        #expect(try Self.odd(Self.push(), keyPath: "/nowhere/AuthKey_ZZZZZ12345.p8") == ["key"])
        #expect(try Self.odd(Self.push(), keyID: "ABCDE12345", teamID: "ABCDE12345") == ["team"])
        #expect(try Self.odd(Self.push(app: "com.example.FindFriends.location-query")) == ["topic"])
        #expect(try Self.odd(Self.push(app: "com.example.FindFriends.LocationPush")) == ["topic"])
        #expect(try Self.odd(Self.push(token: Array(repeating: 0x61, count: 64))) == ["token"])
        #expect(try Self.odd(Self.push(token: Array(repeating: 0, count: 32))) == ["token"])
        #expect(try Self.odd(Self.push(token: Array(1...16))) == ["token"])
        #expect(try Self.odd(Self.push(.alert)) == ["type"])
        #expect(try Self.odd(Self.push(priority: .powerConsiderate)) == ["priority"])
        #expect(try Self.odd(Self.push(payload: #"{"aps":{"alert":"hello"}}"#)) == ["payload"])
    }
}
