internal import Crypto
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests for many requests on one connection: the limit, and the end of the connection.
@Suite struct ProviderStreamTests {
    let rig: GatewayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    private func provider(_ gateway: PushGateway) async throws -> RawProvider {
        try await RawProvider(port: gateway.providerAddress.port, trustRootsPath: self.rig.path("ca.pem"))
    }

    private func headers(_ token: [UInt8], method: String = "POST", isSigned: Bool = true) throws -> [(String, String)]
    {
        let token = try #require(DeviceToken(bytes: token)).hex
        let now = PushGateway.systemTime().seconds
        let jwt = try TokenMaker(key: self.rig.key, team: GatewayRig.teamID).token(iat: "\(now)")
        return [(":method", method), (":scheme", "https"), (":path", "/3/device/\(token)")]
            + (isSigned ? [("authorization", "bearer \(jwt)")] : []) + [("apns-topic", GatewayRig.topic)]
    }

    /// Goal: an unknown provider has one request at a time, which limits its cost; a valid token raises the limit to a
    /// thousand.
    @Test func aGoodTokenBringsStreams() async throws {
        try await self.rig.withGateway { gateway in
            let provider = try await self.provider(gateway)
            _ = try await provider.connection.next("the first SETTINGS") { $0 == .streamsMax(1) }
            _ = try await provider.request(self.headers([1], isSigned: false), body: "{}")
            #expect(!provider.connection.pending.contains(.streamsMax(1000)))
            _ = try await provider.request(self.headers([1]), body: "{}")
            _ = try await provider.connection.next("the second SETTINGS") { $0 == .streamsMax(1000) }
            try await provider.close()
        }
    }

    /// Goal: HEAD is answered like any other method, without a body, and the connection continues.
    @Test func headIsAnsweredWithoutABody() async throws {
        try await self.rig.withGateway { gateway in
            let provider = try await self.provider(gateway)
            for _ in 0..<2 {
                let frames = try await provider.request(self.headers([1], method: "HEAD"), body: nil)
                guard case .headers(let headers, endStream: true) = frames.first, frames.count == 1 else {
                    Issue.record("HEAD is answered with \(frames)")
                    continue
                }
                #expect(headers[":status"] == "405")
            }
            try await provider.close()
        }
    }

    /// Goal: the connection's window is restored after each body, so that many requests fit on one connection.
    @Test func theWindowComesBack() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let token = try await device.register()
            let provider = try await self.provider(gateway)
            let headers = try self.headers(token)
            let body = #"{"a":""# + String(repeating: "a", count: 4000) + #""}"#
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<300 {
                    group.addTask { try await provider.request(headers, body: body).count == 1 }
                }
                for try await isAccepted in group { #expect(isAccepted) }
            }
            try await provider.close()
            try await device.disconnect()
        }
    }

    /// Goal: when the gateway stops, each request up to the announced last stream is answered, and no answer is lost.
    @Test func theEndAnswersEveryRequestUpToTheLast() async throws {
        let requests = 200
        let provider = try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let token = try await device.register()
            let provider = try await self.provider(gateway)
            let headers = try self.headers(token)
            _ = try await provider.request(headers, body: "{}")
            let answers = Events<(stream: Int, isAnswered: Bool)>()
            for _ in 0..<requests {
                Task {
                    let response = try? await provider.numberedRequest(headers, body: "{}")
                    answers.record((response?.stream ?? .max, response?.frames.isEmpty == false))
                }
            }
            _ = try await answers.next("an answer") { _ in true }
            try await device.disconnect()
            return (provider, answers)
        }
        let last = try await provider.0.connection.next("GOAWAY") { frame in
            if case .goAway(_, let last) = frame { last < Int(Int32.max) } else { false }
        }
        guard case .goAway(_, let last) = last else { return }
        for _ in 1..<requests {
            let (stream, isAnswered) = try await provider.1.next("the end of a request") { _ in true }
            #expect(isAnswered || stream > last, "stream \(stream) of \(last) has no answer")
        }
    }
}
