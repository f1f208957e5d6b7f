internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests for keys, environments, and mistakes that are reported before anything is sent.
@Suite(.timeLimit(.minutes(2))) struct ConfigurationTests {
    private static func key(
        _ id: String,
        team: String = "TEAMTEAM01",
        apps: Set<String> = [],
        environment: Environment? = nil
    ) -> SigningKey {
        SigningKey(
            teamID: team,
            keyID: id,
            privateKey: P256.Signing.PrivateKey(),
            apps: apps,
            environment: environment
        )
    }

    private static func claims(_ request: FakeAPNS.Request) throws -> (keyID: String?, teamID: String?) {
        let parts = try #require(request.headers["authorization"]).dropFirst(7).split(separator: ".").dropLast().map {
            part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) ?? Data()
            return try JSONSerialization.jsonObject(with: data) as? [String: Any]
        }
        return (parts[0]?["kid"] as? String, parts[1]?["iss"] as? String)
    }

    /// Goal: a push uses its app's key and a connection of that key, since a connection accepts tokens of one team
    /// only.
    @Test func eachKeyHasItsConnection() async throws {
        let keys = [
            Self.key("KEYKEYKEY1", apps: ["org.example.A", "org.example.B"]),
            Self.key("KEYKEYKEY2", team: "TEAMTEAM02"),
        ]
        try await Sender.run(configure: { $0.keys = keys }) { client, server in
            for app in ["org.example.A", "org.example.C", "org.example.B"] {
                var push = try Sender.push()
                push.bundleIdentifier = app
                _ = try await client.send(push).get()
            }
            #expect(server.requests.map(\.connection) == [1, 2, 1])
            let claims = try server.requests.map(Self.claims)
            #expect(claims.map(\.keyID) == ["KEYKEYKEY1", "KEYKEYKEY2", "KEYKEYKEY1"])
            #expect(claims.map(\.teamID) == ["TEAMTEAM01", "TEAMTEAM02", "TEAMTEAM01"])
        }
    }

    @Test func anAppWithoutAKeyIsSaid() async throws {
        try await Sender.run(configure: { $0.keys = [Self.key("KEYKEYKEY1", apps: ["a"])] }) { client, server in
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(error?.code == .badConfiguration && error?.remedy == .changeConfiguration)
            #expect(server.connections == 0)
        }
    }

    @Test func mistakesAreFoundBeforeTheFirstPush() throws {
        func mistake(_ keys: [SigningKey], port: Int = 443) -> String? {
            let configuration = APNSClient.Configuration(endpoint: .apple(.production, port: port), keys: keys)
            do {
                _ = try APNSClient(configuration: configuration)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(mistake([Self.key("KEYKEYKEY1")]) == nil)
        #expect(mistake([Self.key("KEYKEYKEY1", environment: .production)]) == nil)
        #expect(mistake([])?.contains(".p8") == true)
        #expect(mistake([Self.key("KEY")])?.contains("10 letters and digits") == true)
        #expect(mistake([Self.key("KEYKEYKEY1", environment: .development)])?.contains("for development") == true)
        #expect(mistake([Self.key("KEYKEYKEY1"), Self.key("KEYKEYKEY2")])?.contains("no apps") == true)
        let both = [Self.key("KEYKEYKEY1", apps: ["a"]), Self.key("KEYKEYKEY2", apps: ["a"])]
        #expect(mistake(both)?.contains("name a;") == true)
        #expect(mistake([Self.key("KEYKEYKEY1")], port: 0)?.contains("not a port") == true)
    }

    @Test(arguments: [[], Array("no certificate".utf8), [0x30, 0x03, 1, 2, 3]] as [[UInt8]])
    func trustRootsThatHoldNoCertificateAreNamed(bytes: [UInt8]) {
        var configuration = APNSClient.Configuration(endpoint: .apple(.production), keys: [Self.key("KEYKEYKEY1")])
        configuration.trustRoots = .bytes(bytes)
        let error = #expect(throws: APNSError.self) { try APNSClient(configuration: configuration) }
        #expect(error?.code == .badConfiguration)
        #expect(
            error?.message.hasPrefix("trustRoots: contains no certificate; give ") == true,
            "\(error?.message ?? "")"
        )
        configuration.trustRoots = .file("/nowhere.pem")
        let missing = #expect(throws: APNSError.self) { try APNSClient(configuration: configuration) }
        #expect(missing?.message == "/nowhere.pem: cannot be used; give a readable file of PEM certificates")
    }

    @Test func applesServersAreNamed() {
        #expect(Endpoint.apple(.production).host == "api.push.apple.com")
        #expect(Endpoint.apple(.development).host == "api.sandbox.push.apple.com")
        #expect(Endpoint.apple(.production, port: 2197).port == 2197)
    }

    @Test func aKeyFileIsNamedWithItsMistake() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString).p8")
        defer { try? FileManager.default.removeItem(at: file) }
        func read(_ path: String) throws { _ = try SigningKey(teamID: "T", keyID: "KEYKEYKEY1", path: path) }
        let missing = #expect(throws: APNSError.self) { try read("/nowhere.p8") }
        #expect(missing?.message.contains("/nowhere.p8: cannot be read (No such file or directory)") == true)
        let folder = #expect(throws: APNSError.self) { try read("/usr") }
        #expect(folder?.message.contains("/usr: cannot be read (Is a directory)") == true)
        // Bytes that are not text; Foundation would report a file that cannot be read.
        try Data([0xFF, 0x00, 0xFE]).write(to: file)
        let binary = #expect(throws: APNSError.self) { try read(file.path(percentEncoded: false)) }
        #expect(binary?.message.contains("no P-256 private key") == true)
        try Data("no key".utf8).write(to: file)
        let wrong = #expect(throws: APNSError.self) { try read(file.path(percentEncoded: false)) }
        #expect(wrong?.message.contains("KEYKEYKEY1") == true)
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: file)
        try read(file.path(percentEncoded: false))
    }
}
