internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Rig
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests for `whereabouts gateway --mock` and its HTTP API.
@Suite struct MockCommandTests {
    private struct Pushes: Decodable {
        struct Push: Decodable {
            struct Payload: Decodable { let aps: [String: String] }
            let number: Int
            let token: String
            let status: Int?
            let reason: String?
            let end: String
            let scripted: Bool
            let headers: [String: String]
            let payload: Payload
            let findings: [String]
        }

        let pushes: [Push]
    }

    /// A mock as a process.
    private struct Mock {
        let child: Child
        let url: URL
        let certificate: String?
        let api: String

        init(_ options: String...) throws {
            let log = FileManager.default.temporaryDirectory.appending(path: "mock-\(UUID()).log")
            self.child = try Child(
                "mock",
                try Binaries().path("whereabouts"),
                ["gateway", "--mock", "0"] + options,
                log: log.path(percentEncoded: false)
            )
            let line = try self.child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
            let parts = line.split(separator: " ").dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
            let values = Dictionary(uniqueKeysWithValues: parts.map { (String($0[0]), String($0[1])) })
            self.url = try #require(values["url"].flatMap { URL(string: $0) })
            self.certificate = values["certificate"]
            self.api = try #require(values["mock"])
        }

        var client: APNSClient {
            get throws {
                let key = SigningKey(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1", privateKey: P256.Signing.PrivateKey())
                return try APNSClient(
                    configuration: APNSClient.Configuration(
                        endpoint: Endpoint(host: "localhost", port: try #require(self.url.port)),
                        keys: [key],
                        trustRoots: self.certificate.map { .file($0) }
                    ),
                    group: MultiThreadedEventLoopGroup.singleton,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
            }
        }

        func ask(_ method: String = "GET", _ path: String, _ body: String = "") async throws -> (Int, String) {
            var request = HTTPClientRequest(url: self.api + path)
            request.method = .init(rawValue: method)
            if !body.isEmpty { request.body = .bytes(Array(body.utf8)) }
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            return (Int(response.status.code), String(buffer: bytes))
        }

        func pushes(_ query: String = "") async throws -> [Pushes.Push] {
            let text = try await self.ask("GET", "/pushes\(query)").1
            return try JSONDecoder().decode(Pushes.self, from: Data(text.utf8)).pushes
        }
    }

    private let push: Push

    init() throws {
        self.push = Push(
            .alert,
            token: .ofNobody,
            bundleIdentifier: "com.example.App",
            payload: try PushPayload(json: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
        )
    }

    @Test func theAPIListsPushesWaitsForThemAndResets() async throws {
        let mock = try Mock()
        defer { mock.child.terminate() }
        let client = try mock.client
        async let waiting = mock.pushes("?wait=30s")
        _ = try await client.send(self.push).get()
        let listed = try await waiting
        #expect(listed.map(\.number) == [1] && listed[0].status == 200 && listed[0].end == "accept")
        #expect(listed[0].headers["apns-topic"] == "com.example.App" && listed[0].payload.aps == ["alert": "Hi"])
        #expect(listed[0].headers["authorization"] == nil && listed[0].token == DeviceToken.ofNobody.hex)
        #expect(try await mock.pushes("?after=1").isEmpty)
        #expect(try await mock.ask("PUT", "/script", #"{"rules":[{"reason":"TooManyRequests"}]}"#).0 == 200)
        guard case .rejected(let rejected) = await client.send(self.push) else {
            Issue.record("the script decides nothing")
            return
        }
        #expect(rejected.reason == .tooManyRequests)
        #expect(try await mock.pushes("?count=2&wait=30").map(\.scripted) == [false, true])
        #expect(try await mock.ask("GET", "/script").1.contains(#""count":1"#))
        #expect(try await mock.ask("DELETE", "").0 == 200)
        #expect(try await mock.pushes().isEmpty)
        _ = try await client.send(self.push).get()
        await client.shutdown()
    }

    /// Goal: a mock that cannot listen leaves no certificate behind.
    @Test func aTakenPortLeavesNoFile() throws {
        let mock = try Mock()
        defer { mock.child.terminate() }
        let place = FileManager.default.temporaryDirectory.appending(path: "taken-\(UUID())")
        let files = place.appending(path: "files").path
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let second = try Child(
            "mock",
            try Binaries().path("whereabouts"),
            ["gateway", "--mock", "\(try #require(mock.url.port))"],
            environment: ["TMPDIR": files],
            log: place.appending(path: "log").path
        )
        #expect(try second.waitForEnd(within: 30).status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    }

    @Test func aMistakeInTheAPIIsExplained() async throws {
        let mock = try Mock()
        defer { mock.child.terminate() }
        for (body, words) in [
            (#"{"rules":[{"nth":1},{"reson":"BadTopic"}]}"#, "rules[1].reson: unknown member"),
            (#"{"rules":[{"reason":"Gone"}]}"#, "rules[0].reason: 'Gone' is not one of Apple's"),
            (#"{"rules":[{"token":"xyz"}]}"#, "rules[0].token: 'xyz' is not a device token"),
            (#"{"rules":[{"nth":0}]}"#, "rules[0].nth: must be at least 1"),
            (#"{"rules":[{"end":"gone"}]}"#, "rules[0].end: 'gone' is unknown"),
            (#"{"rules":[{"delay":-1}]}"#, "rules[0].delay: -1.0 is out of range"),
            (#"{"rules":[{"nth":"1"}]}"#, "rules[0].nth has the wrong type"),
            (#"{"tokens":[{"token":"aa"}]}"#, "a member is missing"),
            ("nonsense", "it is not JSON"), ("[]", "it is JSON, but not an object"),
            ("null", "it is JSON, but not an object"), (#"{"nth":1}"#, "nth: unknown member"),
            (#"{"rules":[{"nth":1.5}]}"#, "rules[0].nth has the wrong type"),
            (#"{"rules":[{"times":1e30}]}"#, "rules[0].times has the wrong type"),
            (#"{"rules":[{"timestamp":0.5}]}"#, "rules[0].timestamp has the wrong type"),
            (#"{"tokens":[{"token":"aa","topic":"a","unregistered":0.5}]}"#, "tokens[0].unregistered has"),
            (#"{"rules":[{"end":"accept","reason":"BadTopic"}]}"#, "rules[0].reason: the end accept has no reason"),
            (#"{"rules":[{"end":"silence","reason":"BadTopic"}]}"#, "rules[0].reason: the end silence has no reason"),
            (#"{"rules":[{"end":"close","timestamp":1}]}"#, "rules[0].timestamp: only a rejection has one"),
        ] {
            let (status, text) = try await mock.ask("PUT", "/script", body)
            #expect(status == 400 && text.replacing("\\\"", with: "\"").contains(words), "\(body): \(text)")
        }
        for wait in ["5m", "-1", "61", "nan", "s"] {
            #expect(try await mock.ask("GET", "/pushes?wait=\(wait)").1.contains("wait=\(wait): use a number"))
        }
        for wait in ["0", "0.01", "0.01s", "1e-2"] {
            #expect(try await mock.ask("GET", "/pushes?wait=\(wait)").0 == 200, "\(wait)")
        }
        #expect(try await mock.ask("GET", "/nothing").0 == 404)
        #expect(try await mock.ask("GET", "/certificate").1.contains("BEGIN CERTIFICATE"))
    }

    @Test func cleartextWithACertificateIsRefused() throws {
        let log = FileManager.default.temporaryDirectory.appending(path: "mock-\(UUID()).log").path
        let arguments = ["gateway", "--mock", "0", "--cleartext", "--certificate", "mock.pem"]
        let child = try Child("mock", try Binaries().path("whereabouts"), arguments, log: log)
        #expect(try child.waitForEnd(within: 30).status == 64)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("--cleartext uses no certificate"))
    }

    @Test func theScriptComesFromAFileAndTheCertificateGoesToOne() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "mock-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func path(_ name: String) -> String { directory.appending(path: name).path(percentEncoded: false) }
        let token = DeviceToken.ofNobody.hex
        let script = #"{"tokens":[{"token":"\#(token)","topic":"com.example.App","unregistered":5000}]}"#
        try Data(script.utf8).write(to: directory.appending(path: "script.json"))
        let mock = try Mock("--script", path("script.json"), "--certificate", path("mock.pem"), "--name", "apns.test")
        defer { mock.child.terminate() }
        #expect(mock.certificate == path("mock.pem") && mock.url.host() == "apns.test")
        let client = try mock.client
        guard case .rejected(let rejected) = await client.send(self.push) else {
            Issue.record("the token is registered no more")
            return
        }
        #expect(rejected.reason == .unregistered && rejected.timestamp == 5000)
        await client.shutdown()
    }

    /// Goal: the mock serves a client without TLS, which is common in containers.
    @Test func cleartextClientsAreServed() async throws {
        guard let curl = Binaries.system("curl") else { return }
        let mock = try Mock("--cleartext")
        defer { mock.child.terminate() }
        #expect(mock.url.scheme == "http" && mock.certificate == nil)
        let log = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID()).log")
        let answer = try Child(
            "curl",
            curl,
            ["-s", "--http2-prior-knowledge", "\(mock.url)/3/device/ab12", "-H", "apns-topic: a", "-d", "{}"],
            log: log.path(percentEncoded: false)
        )
        #expect(try answer.waitForEnd(within: 30).output == #"{"reason":"MissingProviderToken"}"#)
        let listed = try await mock.ask("GET", "/pushes").1
        #expect(listed.contains(#""reason":"MissingProviderToken""#) && listed.contains(#""body":"""#))
        #expect(listed.contains("Send the header authorization: bearer TOKEN."))
    }
}
