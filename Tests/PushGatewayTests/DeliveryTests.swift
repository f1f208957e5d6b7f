internal import Crypto
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// Tests the whole path over real sockets and TLS: client, gateway, SQLite, device.
@Suite struct DeliveryTests {
    let rig: GatewayRig
    let key = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    @Test func aPushReachesTheDevice() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let token = try await device.register()
            #expect(token.count == 32)
            let provider = try self.rig.provider(gateway)
            let id = try #require(MessageID("123e4567-e89b-12d3-a456-42665544000a"))
            var sent = try self.rig.push(token, payload: #"{"aps":{},"request":"x"}"#)
            sent.id = id
            #expect(try await provider.send(sent).get().apnsID == id.text)
            let push = try await device.push()
            #expect(push.payload == sent.payload.bytes)
            #expect(push.topic == GatewayRig.topic)
            #expect(push.priority == .immediate)
            #expect(push.expiration == sent.expiration)
            try await device.disconnect()
            await provider.shutdown()
        }
    }

    /// Goal: an operator sees how many pushes are delivered, how long delivery takes, and how large the database is.
    @Test func anAcknowledgedPushIsCounted() async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let provider = try self.rig.provider(gateway)
            _ = try await provider.send(self.rig.push(try await device.register())).get()
            #expect(registry.page.contains("whereabouts_gateway_pushes_acknowledged_total 0"))
            device.acknowledge(try await device.push())
            // Requests of a link are done in their order: with the token the acknowledgement is on disk.
            _ = try await device.register("org.example.Other.location-query")
            let page = registry.page
            #expect(page.contains("whereabouts_gateway_pushes_acknowledged_total 1"))
            #expect(page.contains("whereabouts_gateway_push_latency_seconds_count 1"))
            #expect(page.contains("whereabouts_gateway_inbox_pushes 0"))
            #expect(!page.contains("whereabouts_gateway_store_bytes 0"))
            try await device.disconnect()
            await provider.shutdown()
        }
    }

    @Test func anUnacknowledgedPushComesAgainUnderTheSameID() async throws {
        try await self.rig.withGateway { gateway in
            let first = try self.rig.device(gateway, key: self.key)
            let provider = try self.rig.provider(gateway)
            let token = try await first.register()
            _ = try await provider.send(self.rig.push(token)).get()
            let push = try await first.push()
            try await first.disconnect()

            let second = try self.rig.device(gateway, key: self.key)
            #expect(try await second.push() == push)
            second.acknowledge(push)
            // Requests of one link are carried out in order: with this answer the acknowledgement is on disk.
            #expect(try await second.register() == token)
            try await second.disconnect()

            let third = try self.rig.device(gateway, key: self.key)
            _ = try await provider.send(self.rig.push(token, payload: #"{"later":1}"#)).get()
            #expect(try await third.push().payload == Array(#"{"later":1}"#.utf8))
            try await third.disconnect()
            await provider.shutdown()
        }
    }

    @Test func aPushForADeviceThatIsAwayIsStoredAndReplaced() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let provider = try self.rig.provider(gateway)
            let token = try await device.register()
            try await device.disconnect()
            _ = try await provider.send(self.rig.push(token, payload: #"{"n":1}"#)).get()
            _ = try await provider.send(self.rig.push(token, payload: #"{"n":2}"#)).get()

            let back = try self.rig.device(gateway, key: self.key)
            #expect(try await back.push().payload == Array(#"{"n":2}"#.utf8))
            _ = try await back.register()
            #expect(!back.hasPush)
            try await back.disconnect()
            await provider.shutdown()
        }
    }

    @Test func aPushWaitsUntilItsTopicIsEnabled() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.key, topics: [])
            let provider = try self.rig.provider(gateway)
            let token = try await device.register()
            _ = try await provider.send(self.rig.push(token)).get()
            _ = try await device.register()
            #expect(!device.hasPush)
            device.client.setTopics([GatewayRig.topic])
            _ = try await device.push()
            try await device.disconnect()
            await provider.shutdown()
        }
    }

    /// Goal: an accepted push survives the gateway.
    ///
    /// Method: stop the gateway with the push unacknowledged, and start another one with the same file and port. The
    /// device reconnects by itself.
    @Test func aRestartOfTheGatewayLosesNothing() async throws {
        let port = try await GatewayRig.portBelowClients()
        let (device, token, push) = try await self.rig.withGateway(port: port) { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let token = try await device.register()
            let provider = try self.rig.provider(gateway)
            _ = try await provider.send(self.rig.push(token)).get()
            await provider.shutdown()
            return (device, token, try await device.push())
        }
        try await self.rig.withGateway(port: port) { gateway in
            try await device.connected()
            #expect(try await device.push() == push)
            #expect(try await device.registered() == token)
            let provider = try self.rig.provider(gateway)
            _ = try await provider.send(self.rig.push(token, payload: #"{"n":2}"#)).get()
            #expect(try await device.push().payload == Array(#"{"n":2}"#.utf8))
            await provider.shutdown()
            try await device.disconnect()
        }
    }

    /// Goal: a device with many apps gets all waiting pushes at once on one link.
    @Test func muchIsDeliveredAtOnce() async throws {
        try await self.rig.withGateway { gateway in
            let bundles = (0..<60).map { "org.example.app\($0)" }
            let topics = bundles.map { PushType.location.topic(bundleIdentifier: $0) }
            let device = try self.rig.device(gateway, key: self.key, topics: [])
            let provider = try self.rig.provider(gateway)
            let payload = #"{"x":""# + String(repeating: "x", count: 4000) + #""}"#
            for (bundle, topic) in zip(bundles, topics) {
                var push = try self.rig.push(try await device.register(topic), payload: payload)
                push.bundleIdentifier = bundle
                _ = try await provider.send(push).get()
            }
            try await device.connected()
            device.client.setTopics(topics)
            var delivered: Set<String> = []
            for _ in topics { delivered.insert(try await device.push().topic) }
            #expect(delivered == Set(topics))
            _ = try await device.register()
            let ends = device.events.pending.filter { if case .disconnected = $0 { true } else { false } }
            #expect(ends.isEmpty)
            try await device.disconnect()
            await provider.shutdown()
        }
    }

    @Test func anExpiredPushIsNotDelivered() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let token = try await device.register()
            try await device.disconnect()
            let provider = try self.rig.provider(gateway)
            _ = try await provider.send(self.rig.push(token)).get()
            self.rig.advanceClock(seconds: 601)
            let back = try self.rig.device(gateway, key: self.key)
            #expect(try await back.register() == token)
            _ = try await back.register()
            #expect(!back.hasPush)
            try await back.disconnect()
            await provider.shutdown()
        }
    }

    @Test func anUnregisteredTokenIsGone() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.key)
            let provider = try self.rig.provider(gateway)
            let token = try await device.register()
            let before = PushGateway.systemTime().milliseconds
            device.client.unregister(topic: GatewayRig.topic)
            _ = try await device.events.next("the end of the token") { $0 == .unregistered(topic: GatewayRig.topic) }
            let error = await #expect(throws: APNSError.self) { try await provider.send(self.rig.push(token)).get() }
            #expect(error?.reason == .unregistered)
            let since = try #require(error?.unregisteredAt)
            #expect((before...PushGateway.systemTime().milliseconds).contains(since))
            let renewed = try await device.register()
            #expect(renewed != token)
            _ = try await provider.send(self.rig.push(renewed)).get()
            try await device.disconnect()
            await provider.shutdown()
        }
    }

    @Test func aNewerConnectionOfADeviceReplacesTheOlder() async throws {
        try await self.rig.withGateway { gateway in
            let older = try self.rig.device(gateway, key: self.key)
            try await older.connected()
            let newer = try self.rig.device(gateway, key: self.key)
            try await newer.connected()
            _ = try await older.events.next("the end of the older link") {
                if case .disconnected(let reason) = $0 { reason.contains("newer connection") } else { false }
            }
            try await older.disconnect()
            try await newer.disconnect()
        }
    }

    /// Goal: the log says that there were too few places, so that the operator does not look for a network fault.
    @Test func aDeviceThatGivesWayIsSaidToHaveDoneSo() async throws {
        let log = LogLines()
        try await self.rig.withGateway(deviceConnectionsMax: 1, logger: log.logger) { gateway in
            let older = try self.rig.device(gateway, key: self.key)
            try await older.connected()
            let newer = try self.rig.device(gateway, key: Curve25519.Signing.PrivateKey())
            _ = try await older.events.next("the end of the older link") {
                if case .disconnected = $0 { true } else { false }
            }
            #expect(log.text(from: .info).contains("was closed for a newer one"))
            try await older.disconnect()
            try await newer.disconnect()
        }
    }

    @Test func aGatewayThatIsNotTrustedIsNotTalkedTo() async throws {
        let stranger = try GatewayRig()
        try await self.rig.withGateway { gateway in
            let device = try GatewayRig.Device(
                port: gateway.deviceAddress.port,
                trustRootsPath: stranger.path("ca.pem"),
                key: self.key,
                topics: []
            )
            _ = try await device.events.next("the refusal") {
                if case .disconnected(let reason) = $0 { reason.contains("no trusted issuer") } else { false }
            }
            #expect(!device.events.pending.contains(.connected))
            try await device.disconnect()
        }
    }
}
