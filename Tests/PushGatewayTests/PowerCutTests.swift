internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLink

/// Tests a gateway process whose power is cut right after an acknowledgement.
///
/// Each test fails with `synchronous=NORMAL`, which SQLite uses after GRDB opened a file in WAL mode.
@Suite(.timeLimit(.minutes(3))) struct PowerCutTests {
    private let rig: RelayRig
    private let power: PowerCut
    private let ports: (provider: Int, device: Int)
    private let deviceKey = Curve25519.Signing.PrivateKey()

    init() async throws {
        self.rig = try RelayRig()
        try self.rig.writeKeys()
        self.ports = (try await GatewayRig.portBelowClients(), try await GatewayRig.portBelowClients())
        self.power = try PowerCut(in: self.rig.vendor.path(""), Binaries())
    }

    private func start() throws -> Child {
        let vendor = self.rig.vendor
        let child = try Child(
            "gateway",
            try Binaries().path("whereabouts"),
            [
                "gateway", "--provider-address", "127.0.0.1:\(self.ports.provider)",
                "--device-address", "127.0.0.1:\(self.ports.device)",
                "--certificate", vendor.path("tls.pem"), "--private-key", vendor.path("tls.key"),
                "--key", "\(GatewayRig.teamID):\(GatewayRig.keyID):\(vendor.path("key.p8")):\(GatewayRig.bundle)",
                "--database", vendor.path("gateway.sqlite"), "--control", vendor.path("control"),
            ],
            environment: self.power.environment,
            log: vendor.path("log")
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    /// Kills a gateway, removes unsynchronised data from its directory, and starts it again.
    private func cutPower(_ child: inout Child) throws {
        child.kill()
        try self.power.cut()
        child = try self.start()
    }

    private func device() throws -> GatewayRig.Device {
        try GatewayRig.Device(
            port: self.ports.device,
            trustRootsPath: self.rig.vendor.path("ca.pem"),
            key: self.deviceKey,
            topics: [GatewayRig.topic]
        )
    }

    /// Sends one push on a new connection.
    private func send(_ token: [UInt8], key: SigningKey? = nil) async throws -> PushResult {
        let own = SigningKey(teamID: GatewayRig.teamID, keyID: GatewayRig.keyID, privateKey: self.rig.vendor.key)
        let client = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: self.ports.provider),
                keys: [key ?? own],
                trustRoots: .file(self.rig.vendor.path("ca.pem"))
            ),
            logger: GatewayRig.logger
        )
        let result = await client.send(try self.rig.vendor.push(token))
        await client.shutdown()
        return result
    }

    /// The words of a result: `accepted`, or the reason.
    private func outcome(_ token: [UInt8], key: SigningKey? = nil) async throws -> String {
        switch try await self.send(token, key: key) {
        case .accepted: "accepted"
        case .rejected(let rejected): rejected.reason.rawValue
        case .failed(let error): "\(error)"
        }
    }

    @Test func anIssuedTokenAndAnAcceptedPushAreKept() async throws {
        var child = try self.start()
        defer { child.kill() }
        var device = try self.device()
        let token = try await device.register()
        try await device.disconnect()
        try self.cutPower(&child)
        #expect(try await self.outcome(token) == "accepted")
        try self.cutPower(&child)
        device = try self.device()
        #expect(try await device.push().payload == Array("{}".utf8))
        try await device.disconnect()
    }

    @Test func anEndedTokenStaysEnded() async throws {
        var child = try self.start()
        defer { child.kill() }
        let device = try self.device()
        let token = try await device.register()
        #expect(try await self.outcome(token) == "accepted")
        device.client.unregister(topic: GatewayRig.topic)
        _ = try await device.events.next("the end of the token") { $0 == .unregistered(topic: GatewayRig.topic) }
        try await device.disconnect()
        try self.cutPower(&child)
        #expect(try await self.outcome(token) == "Unregistered")
    }

    @Test(arguments: ["devices", "tokens"]) func aRemovalByTheOperatorIsKept(_ command: String) async throws {
        var child = try self.start()
        defer { child.kill() }
        let device = try self.device()
        let token = try await device.register()
        try await device.disconnect()
        let key = Array(self.deviceKey.publicKey.rawRepresentation)
        let name = (command == "devices" ? key : token).map { String(format: "%02x", $0) }.joined()
        let removed = try self.rig.ask(command, "--remove", name)
        #expect(removed.status == 0, "\(removed.output)")
        try self.cutPower(&child)
        #expect(try await self.outcome(token) == "Unregistered")
    }

    @Test func keysThatWereAddedOrRemovedStaySo() async throws {
        var child = try self.start()
        defer { child.kill() }
        let device = try self.device()
        let token = try await device.register()
        try await device.disconnect()
        let name = "\(GatewayRig.teamID):\(RelayRig.senderKeyID)"
        let file = self.rig.vendor.path("sender.pub")
        #expect(try self.rig.ask("keys", "--add", "\(name):\(file):\(GatewayRig.bundle)").status == 0)
        let added = SigningKey(
            teamID: GatewayRig.teamID,
            keyID: RelayRig.senderKeyID,
            privateKey: self.rig.senderKey
        )
        try self.cutPower(&child)
        #expect(try await self.outcome(token, key: added) == "accepted")
        #expect(try self.rig.ask("keys", "--remove", name).status == 0)
        try self.cutPower(&child)
        #expect(try await self.outcome(token, key: added) == "InvalidProviderToken")
    }

    /// Goal: a push that is at Apple when the power is cut was counted, because it was on disk before it was sent.
    @Test func aRelayedPushIsCounted() async throws {
        let apple = try await FakeAPNS.start([.silence])
        var (child, port) = try self.rig.start(apple, environment: self.power.environment)
        defer { child.kill() }
        let name = "\(RelayRig.senderTeam):\(RelayRig.senderKeyID)"
        let key = "\(name):\(self.rig.vendor.path("sender.pub")):\(GatewayRig.bundle)"
        #expect(try self.rig.ask("keys", "--add", key, "--relay", "7").status == 0)
        let sender = try self.rig.sender(port: port)
        let push = try self.rig.push()
        async let lost = sender.send(push)
        await apple.came(1)
        child.kill()
        _ = await lost
        await sender.shutdown()
        try self.power.cut()
        (child, port) = try self.rig.start(apple, environment: self.power.environment)
        let told = try self.rig.ask("senders", "--json").output
        let reports = try JSONDecoder().decode([SenderReport].self, from: Data(told.utf8))
        #expect(reports.map(\.sender) == [name] && reports.first?.days.map(\.sent) == [1])
        try await apple.stop()
    }
}
