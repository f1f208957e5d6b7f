internal import Foundation
internal import Logging
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Sends the extreme values of every number in the wire formats.
///
/// A value that is not clamped on input ends the process here.
@Suite(.timeLimit(.minutes(2))) struct ExtremeNumberTests {
    private static let numbers: [UInt64] = [
        0, 1, UInt64(Int32.max), UInt64(bitPattern: Int64(Int32.min)), 9_300_000_000_000, 1 << 62, UInt64(Int64.max),
        UInt64(bitPattern: .min), .max,
    ]
    private static let app = BundleID("com.example.Test")

    /// Texts with the deepest allowed nesting.
    private static func text(_ name: String) -> [UInt8] {
        switch name {
        case "topic", "enabled": Array("com.example.Test.location-query".utf8)
        case "bundle": Array("com.example.Test".utf8)
        case "payload": Array("{}".utf8)
        case "token", "nonce", "device": Array(repeating: 7, count: 32)
        case "push_id": Array(repeating: 7, count: 16)
        case "signature": Array(repeating: 7, count: 64)
        default: Array("x".utf8)
        }
    }

    /// A device with a visible app that has Always and is registered for pushes.
    private struct Device {
        var core: DeviceCore
        var now = Now(monotonic: EngineInstant(sinceStart: .seconds(100)), wall: WallTime(seconds: 1_800_000_000))
        let client = ClientID(1)

        init() {
            self.core = DeviceCore(Engine(policy: Policy(), now: self.now), hasGeocoder: true)
            let manifest = AppManifest(
                explainsWhenInUse: true,
                explainsAlways: true,
                mayRunInBackground: true,
                mayReceiveLocationPushes: true,
                hasPushEnvironment: true,
                hasPushExtension: true
            )
            let principal = Principal(bundle: ExtremeNumberTests.app, role: .app)
            self.report(.begun(.init()))
            self.report(.happened(.appInstalled(ExtremeNumberTests.app, manifest)))
            self.report(.connectionOpened(self.client, principal, Caller(isLaunched: false)))
            self.report(.messageReceived(.declaration(Declaration()), from: self.client))
            self.report(.ordered(.show(ExtremeNumberTests.app, .foreground), OrderID(1)))
            self.report(.happened(.authorizationSet(ExtremeNumberTests.app, .always)))
            self.report(.messageReceived(.pushTokenRequest(request: 1), from: self.client))
        }

        mutating func report(_ event: DeviceCore.Event) {
            for action in self.core.handle(event, now: self.now) {
                if case .tell(_, let message) = action { _ = try? WireMessage.encode(message.wire) }
            }
            // The value to which the timer is set.
            _ = self.core.nextDeadline.map { $0.at.sinceStart.nanoseconds }
        }

        /// Advances the time over several deadlines, with a position before each.
        mutating func live() {
            for _ in 0..<4 {
                let fix = Fix(
                    latitude: 535_000_000,
                    longitude: 100_000_000,
                    horizontalAccuracy: 5000,
                    time: self.now.wall,
                    arrival: self.now.monotonic
                )
                self.report(.happened(.sensed(.fix(fix))))
                guard let next = self.core.nextDeadline?.at else { return }
                self.now.monotonic = max(next, self.now.monotonic)
                self.report(.deadlineReached)
            }
        }
    }

    @Test func noNumberOfTheGatewayEndsTheDevice() throws {
        let schema = try Schema("Push/PushLinkMessages/push_link.proto")
        var pushes = 0
        for number in Self.numbers {
            for variant in 0..<schema.variants(of: "GatewayFrame") {
                let bytes = schema.encoded("GatewayFrame", number, variant: variant, text: Self.text)
                let frame = try PushLinkGatewayFrame(serializedBytes: bytes)
                guard let message = GatewayMessage(frame) else { continue }
                var side = DeviceSide()
                var random = SeededGenerator(seed: 1)
                let now = EngineInstant(sinceStart: .seconds(100))
                for input in [
                    .started, .received(.challenge(nonce: Array(repeating: 1, count: 32))), .received(message),
                ]
                    as [DeviceSide.Input]
                { _ = side.handle(input, now: now, using: &random) }
                guard case .push(let stored) = message,
                    let push = Push(stored, received: now)
                else { continue }
                pushes += 1
                var device = Device()
                device.report(.pushArrived(push))
                device.report(.pushKept(push.id))
                device.live()
                // The value that the next start would load.
                let scratch = URL.temporaryDirectory.appending(path: "extreme-\(UUID())").path
                defer { try? FileManager.default.removeItem(atPath: scratch) }
                let spool = try PushSpool(
                    directory: scratch,
                    seal: StateSeal(secrets: [("a key", Data(repeating: 1, count: 32))])
                )
                try spool.save(push)
                var next = Device()
                next.report(.happened(.pushRecovered(try #require(spool.take(push.id)))))
                next.live()
            }
        }
        #expect(pushes >= Self.numbers.count)
    }

    @Test func noNumberOfAnAppEndsTheDevice() throws {
        let schema = try Schema("Device/LocationWireMessages/location_wire.proto")
        var heard = 0
        for number in Self.numbers {
            for variant in 0..<schema.variants(of: "ClientMessage") {
                let bytes = schema.encoded("ClientMessage", number, variant: variant, text: Self.text)
                let message = try WireMessage.decode(WireClientMessage.self, from: bytes)
                guard let message = ClientMessage(message) else { continue }
                heard += 1
                var device = Device()
                device.report(.messageReceived(message, from: device.client))
                device.live()
                device.report(.connectionClosed(device.client))
            }
        }
        #expect(heard >= Self.numbers.count * 8)
    }

    /// Tools and agents belong to the owner, and may be of another version.
    @Test func noNumberOfAToolOrAnAgentEndsLocationd() async throws {
        let place = URL.temporaryDirectory.appending(path: "numbers-\(ProcessInfo.processInfo.processIdentifier)").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let daemon = try Daemon(
            DaemonConfiguration(
                stateDirectory: place + "/state",
                runtimeDirectory: place + "/run",
                sources: [.gpsd(host: "127.0.0.1", port: 9)],
                gateway: nil,
                launcherPath: "/bin/true",
                policy: Policy()
            ),
            logger: logger
        )
        try await daemon.start()
        for (file, name, path) in [
            ("location_wire", "ControlRequest", SocketPaths.control(in: place + "/run")),
            ("agent", "AgentRequest", SocketPaths.agent(in: place + "/run")),
        ] {
            let schema = try Schema("Device/LocationWireMessages/\(file).proto")
            for number in Self.numbers {
                for variant in 0..<schema.variants(of: name) {
                    let socket = try PacketSocket.connect(to: path)
                    _ = try socket.send(schema.encoded(name, number, variant: variant, text: Self.text))
                    // An empty message, which ends a connection on which no request is answered.
                    _ = try? socket.send([0xFF])
                    // An answer, or the end of the connection.
                    _ = try socket.waitForPacket(milliseconds: 20_000)
                }
            }
        }
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: place + "/run"))
        _ = try socket.send(
            try WireMessage.encode(WireControlRequest.with { $0.status = .init() })
        )
        guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 20_000) else {
            throw WireError(malformed: "no reply")
        }
        let reply = try WireMessage.decode(WireControlReply.self, from: packet)
        #expect(reply.status.source.contains("gpsd"))
        await daemon.stop()
    }
}
