internal import APNS
internal import APNSClient
internal import NIOCore
internal import NIOPosix
internal import Testing

@Suite struct APNSClientTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    @Test func oneConnectionServesAll() async throws {
        let server = FakeAPNS([])
        try await server.withClient(self.rig) { client in
            for _ in 0..<3 {
                let response = try await client.send(self.rig.push([1]))
                #expect(response.apnsID == "ID")
            }
        }
        #expect(server.requests == 3)
        #expect(server.connections == 1)
    }

    /// Goal: what the server certainly did not act on is sent once more, on a new connection.
    @Test(arguments: [FakeAPNS.Action.refuse, .goAway]) func refusedIsSentOnceMore(action: FakeAPNS.Action) async throws
    {
        let server = FakeAPNS([action])
        try await server.withClient(self.rig) { client in
            let response = try await client.send(self.rig.push([1]))
            #expect(response.apnsID == "ID")
        }
        #expect(server.requests == 2)
        #expect(server.connections == 2)
    }

    /// Goal: a push that would break its headers ends alone, before anything of it is sent.
    @Test(arguments: ["a\r\nb", "a\0b", "a\nx: y", "a b", "ä", "", String(repeating: "a", count: 156)])
    func aPushThatBreaksItsHeadersEndsAlone(bundle: String) async throws {
        let server = FakeAPNS([])
        try await server.withClient(self.rig) { client in
            _ = try await client.send(self.rig.push([1]))
            var broken = try self.rig.push([1])
            broken.bundleIdentifier = bundle
            let push = broken
            let error = await #expect(throws: APNSError.self) { try await client.send(push) }
            #expect(error?.code == .malformedPush && error?.reason == .badTopic)
            _ = try await client.send(self.rig.push([1]))
        }
        #expect(server.requests == 2)
        #expect(server.connections == 1)
    }

    @Test func refusedTwiceIsAnError() async throws {
        let server = FakeAPNS([.refuse, .refuse])
        try await server.withClient(self.rig) { client in
            let error = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(error?.code == .connectionLost)
        }
        #expect(server.requests == 2)
    }

    /// Goal: a push that may have been accepted is not sent again; the next one finds a new connection.
    @Test func aLostConnectionIsAnErrorOnce() async throws {
        let server = FakeAPNS([.hangUp])
        try await server.withClient(self.rig) { client in
            let error = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(error?.code == .connectionLost)
            _ = try await client.send(self.rig.push([1]))
        }
        #expect(server.requests == 2)
        #expect(server.connections == 2)
    }

    /// Goal: silence ends at the deadline, and the dead connection is not used again.
    ///
    /// The deadline is short, and on a busy machine TLS alone may take longer: hence the repetition around it.
    @Test func silenceEndsAtTheDeadline() async throws {
        let server = FakeAPNS([])
        try await server.withClient(self.rig, timeout: .seconds(1)) { client in
            func reach() async throws {
                let push = try self.rig.push([1])
                for _ in 0..<20 { if (try? await client.send(push)) != nil { return } }
                Issue.record("the server could not be reached")
            }
            try await reach()
            let connections = server.connections
            server.doNext(.silence)
            let error = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(error?.code == .deadlineExceeded)
            try await reach()
            #expect(server.connections > connections)
        }
    }

    @Test func theServersLimitOfStreamsHolds() async throws {
        let server = FakeAPNS([], streamsMax: 1)
        try await server.withClient(self.rig) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await client.send(self.rig.push([1])) } }
                try await group.waitForAll()
            }
        }
        // The server of this test answers a stream too many with an error, on which the client would reconnect.
        #expect(server.requests == 20)
        #expect(server.connections == 1)
    }

    @Test func reasonsAreReported() async throws {
        let server = FakeAPNS([
            .reject(status: 410, body: #"{"reason":"Unregistered","timestamp":1800000000123}"#),
            .reject(status: 500, body: "<html>"),
            .reject(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#),
        ])
        try await server.withClient(self.rig) { client in
            let gone = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(gone?.reason == .unregistered)
            #expect(gone?.unregisteredAt == 1_800_000_000_123)
            let odd = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(odd?.code == .unexpectedResponse)
            #expect(server.connections == 1)
            let expired = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(expired?.reason == .expiredProviderToken)
            // APNs takes no other token on a connection that saw a stale one.
            _ = try await client.send(self.rig.push([1]))
            #expect(server.connections == 2)
        }
    }

    @Test func nobodyThereIsSaid() async throws {
        let listener = try await ServerBootstrap(group: GatewayRig.group).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await listener.close()
        var configuration = APNSClient.Configuration(
            host: "127.0.0.1",
            port: port,
            trustRootsPath: self.rig.path("ca.pem"),
            teamID: GatewayRig.teamID,
            keyID: GatewayRig.keyID,
            key: self.rig.key
        )
        configuration.timeout = .seconds(5)
        let client = try APNSClient(configuration: configuration, group: GatewayRig.group, logger: GatewayRig.logger)
        for _ in 0..<2 {
            let error = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
            #expect(error?.code == .cannotConnect)
        }
        try await client.shutdown()
        let error = await #expect(throws: APNSError.self) { try await client.send(self.rig.push([1])) }
        #expect(error?.code == .shutDown)
    }

    @Test func aMissingKeyFileIsNamed() {
        let error = #expect(throws: APNSError.self) {
            try APNSClient.Configuration(
                host: "localhost",
                teamID: GatewayRig.teamID,
                keyID: GatewayRig.keyID,
                keyPath: "/nowhere.p8"
            )
        }
        #expect(error?.message.contains("/nowhere.p8") == true)
    }
}
