internal import Crypto
internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsMockAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsVocabulary

/// Tests for the mock as a library, with our client.
@Suite struct MockAPNSTests {
    private static let token = "ab12"

    private static func push(_ type: PushType = .alert, token: String = MockAPNSTests.token) throws -> Push {
        Push(
            type,
            token: try #require(DeviceToken(hex: token)),
            bundleIdentifier: "com.example.App",
            payload: try PushPayload(json: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
        )
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func configuration(
        _ apns: MockAPNS,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        timeout: Duration = .seconds(30)
    ) -> APNSClient.Configuration {
        var configuration = APNSClient.Configuration(
            endpoint: Endpoint(host: "localhost", port: apns.port),
            keys: [SigningKey(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1", privateKey: key)],
            trustRoots: apns.certificatePath.map { .file($0) }
        )
        configuration.timeout = timeout
        return configuration
    }

    private static func client(
        _ apns: MockAPNS,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        timeout: Duration = .seconds(30)
    ) throws -> APNSClient {
        try APNSClient(configuration: Self.configuration(apns, key: key, timeout: timeout), logger: Self.logger)
    }

    private static func withMock(
        _ configuration: MockAPNS.Configuration = MockAPNS.Configuration(),
        timeout: Duration = .seconds(30),
        _ body: (MockAPNS, APNSClient) async throws -> Void
    ) async throws {
        let apns = try await MockAPNS(configuration)
        let client = try Self.client(apns, timeout: timeout)
        let result: Result<Void, any Error>
        do { result = .success(try await body(apns, client)) } catch { result = .failure(error) }
        await client.shutdown()
        try await apns.stop()
        try result.get()
    }

    /// Sends a push.
    ///
    /// - Returns: the reason of its rejection, `accepted` or `failed`.
    private static func send(_ push: Push, with client: APNSClient) async -> String {
        switch await client.send(push) {
        case .accepted: "accepted"
        case .rejected(let rejected): rejected.reason.rawValue
        case .failed: "failed"
        }
    }

    @Test func aPushIsListedWithItsHeadersAndPayload() async throws {
        try await Self.withMock { apns, client in
            #expect(try await Self.send(Self.push(), with: client) == "accepted")
            let push = try await apns.nextPush()
            #expect(push.end == .accept && push.number == 1 && push.connection == 1 && !push.isScripted)
            #expect(push.token == Self.token && push.topic == "com.example.App" && push.pushType == "alert")
            #expect(push.payloadText == #"{"aps":{"alert":"Hi"}}"#)
            #expect(push.provider?.teamID == "TEAMTEAM01" && push.provider?.keyID == "KEYKEYKEY1")
            #expect(push.findings.isEmpty && push.explanation == nil)
            #expect(apns.pushes == [push])
        }
    }

    /// Goal: a test that keeps certificates in a secret store needs no certificate files.
    @Test(arguments: ["PEM", "DER"]) func theAuthorityIsTrustedFromMemory(format: String) async throws {
        let apns = try await MockAPNS()
        var configuration = Self.configuration(apns)
        configuration.trustRoots = .bytes(try Self.bytes(of: #require(apns.certificatePEM), format: format))
        let client = try APNSClient(configuration: configuration, logger: Self.logger)
        #expect(try await Self.send(Self.push(), with: client) == "accepted")
        await client.shutdown()
        try await apns.stop()
    }

    @Test func anotherAuthorityInMemoryIsNamedInTheError() async throws {
        let (apns, other) = (try await MockAPNS(), try await MockAPNS())
        var configuration = Self.configuration(apns)
        configuration.trustRoots = .bytes(try Self.bytes(of: #require(other.certificatePEM), format: "PEM"))
        let client = try APNSClient(configuration: configuration, logger: Self.logger)
        let result = await client.send(try Self.push())
        let error = #expect(throws: APNSError.self) { try result.get() }
        #expect(error?.code == .cannotConnect && error?.remedy == .changeConfiguration)
        #expect(error?.message.contains("no trusted issuer") == true)
        #expect(error?.message.contains("with trustRoots,") == true, "\(error?.message ?? "")")
        #expect(apns.pushes.isEmpty)
        await client.shutdown()
        for mock in [apns, other] { try await mock.stop() }
    }

    private static func bytes(of pem: String, format: String) throws -> [UInt8] {
        guard format == "DER" else { return Array(pem.utf8) }
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return Array(try #require(Data(base64Encoded: base64)))
    }

    /// All failures that a client can distinguish, in one script.
    @Test func eachEndOfTheScriptReachesTheClient() async throws {
        var configuration = MockAPNS.Configuration()
        configuration.script = MockScript([
            .init(nth: 1, .reject(.expiredProviderToken)),
            .init(nth: 2, .reject(.badTopic)),
            .init(nth: 3, .reject(.tooManyRequests)),
            .init(nth: 4, .refuse),
            .init(nth: 6, .goAway()),
            .init(nth: 7, .goAwayUnprocessed()),
        ])
        try await Self.withMock(configuration) { apns, client in
            var results: [String] = []
            // The client makes a new token after the first failure, and repeats requests that were refused or not
            // processed.
            for _ in 0..<7 { results.append(await Self.send(try Self.push(), with: client)) }
            #expect(results == ["BadTopic", "TooManyRequests"] + Array(repeating: "accepted", count: 5))
            #expect(apns.pushes.filter { $0.end == .accept || $0.end == .goAway() }.count == 5)
            #expect(apns.pushes.filter(\.isScripted).count == 6)
        }
    }

    @Test func anUnregisteredTokenHasItsTimestamp() async throws {
        let since = WallTime(seconds: 1_700_000_000)
        try await Self.withMock { apns, client in
            let registered = MockScript.Rule(times: 1, .reject(.unregistered, timestamp: since))
            apns.script = MockScript([registered, .init(.reject(.expiredToken))])
            for expected in [since.milliseconds, nil] {
                guard case .rejected(let rejected) = await client.send(try Self.push()) else {
                    Issue.record("no rejection")
                    return
                }
                // Without a time in the script, it is the time of the answer.
                #expect((rejected.timestamp ?? 0) == expected ?? apns.pushes[1].receivedAt.milliseconds)
            }
        }
    }

    @Test(arguments: [MockScript.End.silence, .close, .cut()])
    func aPushWithoutAnAnswerFails(_ end: MockScript.End) async throws {
        var configuration = MockAPNS.Configuration()
        configuration.script = MockScript([.init(end)])
        try await Self.withMock(configuration, timeout: .milliseconds(500)) { apns, client in
            #expect(try await Self.send(Self.push(), with: client) == "failed")
            let push = try await apns.nextPush()
            #expect(push.end == end)
        }
    }

    @Test func aRuleByTokenLeavesTheOthers() async throws {
        try await Self.withMock { apns, client in
            apns.script = MockScript([.init(token: DeviceToken(hex: "cd34"), .reject(.unregistered))])
            #expect(try await Self.send(Self.push(), with: client) == "accepted")
            #expect(try await Self.send(Self.push(token: "cd34"), with: client) == "Unregistered")
            #expect(apns.pushes.map(\.isScripted) == [false, true])
            apns.reset()
            #expect(apns.pushes.isEmpty && apns.script == MockScript())
            #expect(try await Self.send(Self.push(token: "cd34"), with: client) == "accepted")
            let push = try await apns.nextPush()
            #expect(push.number == 1)
        }
    }

    // MARK: Channels

    private static func broadcast(
        to channel: ChannelID,
        _ json: String = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
    ) throws -> Broadcast {
        Broadcast(
            to: channel,
            bundleIdentifier: "com.example.App",
            payload: try PushPayload(json: Array(json.utf8))
        )
    }

    @Test func channelsAreCreatedReadListedAndDeleted() async throws {
        try await Self.withMock { apns, client in
            let app = "com.example.App"
            let latest = try await client.createChannel(of: app, storage: .latest)
            let nothing = try await client.createChannel(of: app, storage: .nothing)
            #expect(try await client.fetchChannels(of: app) == [latest, nothing])
            #expect(try await client.fetchChannels(of: "com.example.Other") == [])
            #expect(try await client.fetchChannel(latest, of: app) == .latest)
            #expect(try await client.fetchChannel(nothing, of: app) == .nothing)
            try await client.deleteChannel(latest, of: app)
            #expect(try await client.fetchChannels(of: app) == [nothing])
            #expect(apns.pushes.isEmpty)
            let error = await #expect(throws: APNSError.self) { try await client.deleteChannel(latest, of: app) }
            #expect(error?.reason == .channelNotRegistered)
            let listed = try await apns.nextPush()
            #expect(listed.answer?.reason == .channelNotRegistered && listed.explanation != nil && listed.token == "")
            apns.reset()
            #expect(try await client.fetchChannels(of: app) == [])
        }
    }

    @Test func aBroadcastIsListedAndScripted() async throws {
        try await Self.withMock { apns, client in
            let channel = try await client.createChannel(of: "com.example.App", storage: .nothing)
            apns.script = MockScript([.init(topic: "com.example.App", nth: 2, .reject(.tooManyRequests))])
            let results = [
                try await client.send(Self.broadcast(to: channel)), try await client.send(Self.broadcast(to: channel)),
            ]
            #expect(try results[0].get().uniqueID == nil)
            let error = #expect(throws: APNSError.self) { try results[1].get() }
            #expect(error?.reason == .tooManyRequests)
            let push = try await apns.nextPush()
            #expect(push.channel == channel.text && push.topic == "com.example.App" && push.token == "")
            #expect(push.pushType == "liveactivity" && push.findings.isEmpty && push.answer?.status == 200)
            #expect(apns.pushes.map(\.isScripted) == [false, true])
            _ = try await client.send(Self.broadcast(to: channel, #"{"aps":{}}"#)).get()
            #expect(apns.pushes.last?.findings == [.liveActivityIncomplete(["timestamp", "event"])])
        }
    }

    @Test func aBroadcastThatItsChannelDoesNotStoreIsExplained() async throws {
        try await Self.withMock { apns, client in
            let channel = try await client.createChannel(of: "com.example.App", storage: .nothing)
            var broadcast = try Self.broadcast(to: channel)
            broadcast.expiration = .until(2_000_000_000)
            let result = await client.send(broadcast)
            let error = #expect(throws: APNSError.self) { try result.get() }
            #expect(error?.reason == .badExpirationDate)
            let push = try await apns.nextPush()
            #expect(push.explanation?.contains("the channel stores nothing. Send 0.") == true)
        }
    }

    @Test func aKeyThatIsNamedIsVerified() async throws {
        let key = P256.Signing.PrivateKey()
        var configuration = MockAPNS.Configuration()
        let named = ProviderKey(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1", publicKey: key.publicKey, scope: .all)
        configuration.keys = [named]
        try await Self.withMock(configuration) { apns, stranger in
            #expect(try await Self.send(Self.push(), with: stranger) == "InvalidProviderToken")
            #expect(try await apns.nextPush().provider == nil)
            let client = try Self.client(apns, key: key)
            #expect(try await Self.send(Self.push(), with: client) == "accepted")
            await client.shutdown()
        }
    }

    @Test func aStrictMockRejectsWhatAppleWouldDrop() async throws {
        var configuration = MockAPNS.Configuration()
        configuration.isStrict = true
        try await Self.withMock(configuration) { apns, client in
            #expect(try await Self.send(Self.push(.background), with: client) == "InvalidPushType")
            let push = try await apns.nextPush()
            #expect(push.findings == [.contentAvailableMissing, .backgroundPushShowsSomething])
            #expect(push.explanation == MockFinding.contentAvailableMissing.words)
        }
    }

    /// The lines of docs/test-your-push-code.md, unchanged.
    @Test func theExampleOfThePageWorks() async throws {
        let apns = try await MockAPNS()
        let client = try APNSClient(
            configuration: .init(
                endpoint: Endpoint(host: "localhost", port: apns.port),
                keys: [SigningKey(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1", privateKey: P256.Signing.PrivateKey())],
                trustRoots: apns.certificatePath.map { .file($0) }
            )
        )
        apns.script = MockScript([.init(nth: 2, .reject(.unregistered))])
        let results = [
            await Self.send(try Self.push(), with: client), await Self.send(try Self.push(), with: client),
        ]
        #expect(results == ["accepted", "Unregistered"])
        let push = try await apns.nextPush()
        #expect(push.end == .accept && push.findings.isEmpty)
        await client.shutdown()
        try await apns.stop()
        let source = try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n")
        let lines = Set(source.map { $0.trimmingPrefix(while: \.isWhitespace) })
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let examples = page.matches(of: /```swift\n((?:.|\n)*?)```/).flatMap { $0.output.1.split(separator: "\n") }
        #expect(examples.count > 10)
        for line in examples { #expect(lines.contains(line.trimmingPrefix(while: \.isWhitespace)), "\(line)") }
    }

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/test-your-push-code.md")

    @Test func aPushThatDoesNotComeIsAnError() async throws {
        try await Self.withMock { apns, _ in
            await #expect(throws: MockAPNSError.self) { try await apns.nextPush(within: .milliseconds(10)) }
            let pushes = try await apns.pushes(count: 2, within: .milliseconds(10))
            #expect(pushes.isEmpty)
        }
    }

    @Test func aNameThatIsNoHostIsRefused() async throws {
        var configuration = MockAPNS.Configuration()
        configuration.names = ["https://apns.test"]
        await #expect(throws: MockAPNSError.self) { try await MockAPNS(configuration) }
    }
}
