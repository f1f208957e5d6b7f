internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests requests and responses as bytes.
@Suite struct ProviderRequestTests {
    let rig: GatewayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    func headers(
        token: String,
        jwt: String?,
        topic: String = GatewayRig.topic,
        method: String = "POST",
        extra: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "https"), (":path", "/3/device/\(token)")]
            + (jwt.map { [("authorization", "bearer \($0)")] } ?? []) + [("apns-topic", topic)] + extra
    }

    func jwt(age: Int64 = 0, key: P256.Signing.PrivateKey? = nil, team: String = GatewayRig.teamID) throws -> String {
        try TokenMaker(key: key ?? self.rig.key, team: team).token(
            iat: "\(PushGateway.systemTime().seconds - age)"
        )
    }

    func hex(_ token: [UInt8]) throws -> String { try #require(DeviceToken(bytes: token)).hex }

    /// Goal: the response to an accepted push is HEADERS with END_STREAM and the original ID.
    ///
    /// This also holds without `:authority`, ALPN or optional headers, and with an uppercase token.
    @Test(arguments: [["h2"], []]) func accepted(alpn: [String]) async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let bytes = try await device.register()
            let token = try self.hex(bytes).uppercased()
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem"),
                alpn: alpn
            )
            let id = "123e4567-e89b-12d3-a456-42665544000A"
            let frames = try await provider.request(
                self.headers(token: token, jwt: try self.jwt(), extra: [("apns-id", id)]),
                body: "{}"
            )
            #expect(frames == [.headers([":status": "200", "apns-id": id], endStream: true)])
            _ = try await device.push()
            try await provider.close()
            try await device.disconnect()
        }
    }

    /// Goal: an error is HEADERS and one DATA with END_STREAM, and has an ID even if the sender gave none.
    func expect(_ reason: Reason, _ frames: [RawProvider.Frame], sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .headers(let headers, false) = frames.first else {
            Issue.record("not an error response: \(frames)", sourceLocation: sourceLocation)
            return
        }
        #expect(headers[":status"] == "\(reason.status)", sourceLocation: sourceLocation)
        #expect(headers["content-type"] == "application/json", sourceLocation: sourceLocation)
        #expect(headers["apns-id"].flatMap { MessageID($0) } != nil, sourceLocation: sourceLocation)
        #expect(
            frames.dropFirst() == [.data(#"{"reason":"\#(reason.rawValue)"}"#, endStream: true)],
            sourceLocation: sourceLocation
        )
    }

    /// An invalid request: the difference from a valid one, and the reason.
    private struct Row {
        let reason: Reason
        var token: String?
        var jwt: String?
        var topic = GatewayRig.topic
        var method = "POST"
        var extra: [(String, String)] = []
        var body: String? = "{}"
    }

    private func badRequests(good: String) throws -> [Row] {
        let unknown = String(repeating: "ab", count: 32)
        let tooLarge = #"{"x":""# + String(repeating: "x", count: 4096 - 7) + #""}"#
        let location = ("apns-push-type", "location")
        return [
            Row(reason: .missingProviderToken, token: unknown),
            Row(reason: .invalidProviderToken, jwt: "a.b.c"),
            Row(reason: .invalidProviderToken, jwt: try self.jwt(key: P256.Signing.PrivateKey())),
            Row(reason: .invalidProviderToken, jwt: try self.jwt(team: "OTHERTEAM0")),
            Row(reason: .expiredProviderToken, jwt: try self.jwt(age: 3700)),
            Row(reason: .expiredProviderToken, jwt: try self.jwt(age: -3700)),
            Row(reason: .badDeviceToken, token: unknown, jwt: good),
            Row(reason: .badDeviceToken, token: "xyz", jwt: good),
            // HTTP/2 libraries reset the stream for these characters, and some clients do not report that.
            Row(reason: .badDeviceToken, token: "ab cd", jwt: good),
            Row(reason: .badDeviceToken, token: "abcd\n", jwt: good),
            Row(reason: .badDeviceToken, token: "ab\0cd", jwt: good),
            Row(reason: .badTopic, jwt: good, topic: "a\r\nb"),
            Row(reason: .badTopic, jwt: good, topic: "a\0b"),
            Row(reason: .badMessageID, jwt: good, extra: [("apns-id", "a\nb")]),
            Row(reason: .badCollapseID, jwt: good, extra: [("apns-collapse-id", "a\nb")]),
            Row(reason: .invalidPushType, jwt: good, extra: [("apns-push-type", "location\n")]),
            Row(reason: .invalidProviderToken, jwt: "a\nb"),
            Row(reason: .missingDeviceToken, token: "", jwt: good),
            Row(reason: .deviceTokenNotForTopic, jwt: good, topic: "org.example.other.location-query"),
            Row(reason: .invalidPushType, jwt: good, topic: "org.example.x", extra: [location]),
            Row(reason: .invalidPushType, jwt: good, extra: [("apns-push-type", "alert")]),
            Row(reason: .methodNotAllowed, jwt: good, method: "GET", body: nil),
            Row(reason: .payloadEmpty, jwt: good, body: nil),
            Row(reason: .payloadEmpty, jwt: good, body: "[1]"),
            Row(reason: .payloadEmpty, jwt: good, body: "{"),
            // Each of these was once accepted, and then refused by the device.
            Row(reason: .payloadEmpty, jwt: good, body: #"{"a":"\ud800"}"#),
            Row(reason: .payloadEmpty, jwt: good, body: #"{"a":1e400}"#),
            Row(reason: .payloadEmpty, jwt: good, body: #"{"a":007}"#),
            Row(reason: .payloadEmpty, jwt: good, body: "{\"a\":\"\n\"}"),
            Row(reason: .payloadEmpty, jwt: good, body: "{\"a\":\"\0\"}"),
            Row(reason: .payloadTooLarge, jwt: good, body: tooLarge),
            Row(reason: .payloadTooLarge, jwt: good, body: String(repeating: "x", count: 200_000)),
            Row(reason: .duplicateHeaders, jwt: good, extra: [("apns-topic", GatewayRig.topic)]),
            Row(reason: .badPriority, jwt: good, extra: [("apns-priority", "7")]),
            Row(reason: .badMessageID, jwt: good, extra: [("apns-id", "7")]),
        ]
    }

    @Test func rejected() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let bytes = try await device.register()
            let token = try self.hex(bytes)
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            for row in try self.badRequests(good: try self.jwt()) {
                let headers = self.headers(
                    token: row.token ?? token,
                    jwt: row.jwt,
                    topic: row.topic,
                    method: row.method,
                    extra: row.extra
                )
                self.expect(row.reason, try await provider.request(headers, body: row.body))
            }
            #expect(!device.hasPush)
            try await provider.close()
            try await device.disconnect()
        }
    }

    /// Goal: a request with invalid headers ends its stream, and the connection answers the next one.
    @Test(arguments: [
        ("x", "a\r\nb"), ("x", "a\0b"), ("Upper", "a"), ("connection", "close"), ("te", "gzip"),
        ("content-length", "3"), (":path", ""), ("x", String(repeating: "x", count: 8000)),
    ])
    func oneBadRequestEndsItsStreamOnly(name: String, value: String) async throws {
        try await self.rig.withGateway { gateway in
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            let good = self.headers(token: "ab", jwt: try self.jwt()).filter { $0.0 != name }
            let broken = name.hasPrefix(":") ? [(name, value)] + good : good + [(name, value)]
            let frames = try await provider.request(broken, body: "{}")
            #expect(frames.isEmpty)
            self.expect(
                .badDeviceToken,
                try await provider.request(self.headers(token: "ab", jwt: try self.jwt()), body: "{}")
            )
            try await provider.close()
        }
    }

    @Test func aKeyPushesToItsAppsAlone() async throws {
        try await self.rig.withGateway(apps: ":org.example.other,org.example.another") { gateway in
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            for (topic, reason) in [
                (GatewayRig.topic, Reason.topicDisallowed), ("org.example.other.voip", .badDeviceToken),
            ] {
                let headers = self.headers(token: "ab", jwt: try self.jwt(), topic: topic)
                self.expect(reason, try await provider.request(headers, body: "{}"))
            }
            try await provider.close()
        }
    }

    /// Goal: every rejection is counted under its reason, and the metrics page lists each reason from the start.
    @Test func refusalsAreCounted() async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            #expect(registry.page.contains(#"whereabouts_gateway_pushes_rejected_total{reason="BadTopic"} 0"#))
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            for _ in 0..<2 {
                _ = try await provider.request(self.headers(token: "ab", jwt: try self.jwt()), body: "{}")
            }
            _ = try await provider.request(self.headers(token: "ab", jwt: nil), body: "{}")
            let page = registry.page
            #expect(page.contains(#"whereabouts_gateway_pushes_rejected_total{reason="BadDeviceToken"} 2"#))
            #expect(page.contains(#"whereabouts_gateway_pushes_rejected_total{reason="MissingProviderToken"} 1"#))
            #expect(page.contains(#"whereabouts_gateway_connections{listener="provider"} 1"#))
            #expect(page.contains(#"whereabouts_gateway_connections_ended_total{listener="device",reason="full"} 0"#))
            try await provider.close()
        }
    }

    @Test func aProviderTokenMayNotChangeAllTheTime() async throws {
        try await self.rig.withGateway { gateway in
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            for (age, reason) in [(3, Reason.badDeviceToken), (2, .badDeviceToken), (1, .tooManyProviderTokenUpdates)] {
                let frames = try await provider.request(
                    self.headers(token: "ab", jwt: try self.jwt(age: Int64(age))),
                    body: "{}"
                )
                self.expect(reason, frames)
            }
            try await provider.close()
        }
    }

    @Test func theEndOfTheGatewayIsSaid() async throws {
        let provider = try await self.rig.withGateway { gateway in
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.path("ca.pem")
            )
            self.expect(
                .missingProviderToken,
                try await provider.request(self.headers(token: "ab", jwt: nil), body: "{}")
            )
            return provider
        }
        // The gateway sends two GOAWAY frames. After the first, it accepts requests in transit; the second names the last
        // stream.
        let reason = #"{"reason":"Shutdown"}"#
        _ = try await provider.connection.next("the announcement") { $0 == .goAway(reason, last: Int(Int32.max)) }
        _ = try await provider.connection.next("GOAWAY") { $0 == .goAway(reason, last: 1) }
    }
}
