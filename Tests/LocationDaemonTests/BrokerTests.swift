internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests for brokers, which connect for programs that do not know locationd.
///
/// Each of these programs is an app like any other.
@Suite(.offPool, .timeLimit(.minutes(1))) struct BrokerTests {
    private func connect(_ rig: DaemonRig, _ bundle: String) throws -> (PacketSocket, WireDaemonMessage) {
        let socket = try PacketSocket.connect(to: SocketPaths.broker(in: rig.runtime))
        let order = WireRunRequest.with { $0.bundle = bundle }
        #expect(try socket.send(try WireMessage.encode(order)) == .sent)
        return (socket, try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)))
    }

    /// Makes a bundle with that identifier and without an extension.
    private func bundle(_ identifier: String, _ rig: DaemonRig) throws -> String {
        let path = try rig.scratch.makeBundle(changing: ["CFBundleIdentifier": identifier])
        try FileManager.default.removeItem(atPath: path + "/PlugIns")
        return path
    }

    @Test func aBrokersConnectionIsItsAppsAndIsSeen() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let agent = try TestAgent(rig)
        let (socket, greeting) = try self.connect(rig, DaemonRig.bundle.rawValue)
        #expect(greeting.body == .ready(.init()))
        try rig.declare(.init(), on: socket)
        let state = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)).state
        #expect(state.phase == .foreground && state.authorization == .notDetermined)
        let request = WireClientMessage.with { $0.authorizationRequest = .init() }
        #expect(try socket.send(try WireMessage.encode(request)) == .sent)
        let prompt = try agent.waitForPrompt()
        #expect(prompt.bundle == DaemonRig.bundle.rawValue)
        try agent.answer(prompt.id, .allowOnce)
        let told = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)).state
        #expect(told.authorization == .whenInUse)
        await rig.daemon.stop()
    }

    /// Goal: an identifier that looks like an installed one to a person is refused.
    @Test(arguments: [
        ("Geoclue.claimed.x", false, false), ("GEOCLUE.app.y", true, false), ("locationd.other", false, false),
        ("LocationD.nmea", false, false), ("COM.TEST.ATT", false, false), ("com.test.Att", false, true),
        ("com.test.Atta", false, true), ("geoclue.app.Firefox", true, true), ("locationdx.app", false, true),
    ])
    func whatIsReadAsAnotherIsNotInstalled(_ bundle: String, _ isOfBroker: Bool, _ isTaken: Bool) {
        let installed = ["com.test.Att", "geoclue.app.firefox"].map { BundleID($0) }
        do throws(DaemonError) {
            try ProgramApps.checkKind(of: BundleID(bundle), isOfBroker: isOfBroker, beside: installed)
            #expect(isTaken)
        } catch {
            #expect(!isTaken && error.description.contains("give the bundle another CFBundleIdentifier"), "\(error)")
        }
    }

    /// Goal: an app of one kind cannot take over another kind's permissions by using its identifier.
    @Test(arguments: [("geoclue.app.org.example.Maps", false), ("com.example.Maps", true), ("locationd.nmea", true)])
    func identifiersOfBrokersAreKeptForThem(_ bundle: String, _ isOfBroker: Bool) async throws {
        let rig = try await DaemonRig()
        let path = try self.bundle(bundle, rig)
        func install(_ isOfBroker: Bool) throws -> String {
            let order = DaemonRig.Control.with { ($0.install.path, $0.install.ofBroker) = (path, isOfBroker) }
            return try rig.ask(order).failure.message
        }
        #expect(try install(isOfBroker).contains("give the bundle another CFBundleIdentifier"))
        if bundle != "locationd.nmea" { #expect(try install(!isOfBroker).isEmpty) }
        await rig.daemon.stop()
    }

    /// Goal: every order that needs a process says that such an app has none, and suggests only orders that work.
    @Test func aBrokersAppHasNoProcess() async throws {
        let rig = try await DaemonRig()
        let bundle = "geoclue.app.org.example.Maps"
        let path = try self.bundle(bundle, rig)
        _ = try rig.ask(.with { ($0.install.path, $0.install.ofBroker) = (path, true) })
        let orders = [
            DaemonRig.Control.with { $0.run.bundle = bundle }, .with { $0.terminate.bundle = bundle },
            .with { ($0.phase.bundle, $0.phase.phase) = (bundle, .foreground) },
            .with { ($0.push.bundle, $0.push.priority, $0.push.dryRun) = (bundle, 10, true) },
        ]
        for order in orders {
            let words = try rig.ask(order).failure.message
            #expect(
                words.hasPrefix("\(bundle) has no process to start or to end: it represents a program that uses"),
                "\(words)"
            )
            #expect(!words.contains("locationctl run"))
        }
        await rig.daemon.stop()
    }

    @Test func anAppThatIsNotInstalledHasNoBroker() async throws {
        let rig = try await DaemonRig()
        let (_, greeting) = try self.connect(rig, "com.example.Absent")
        #expect(greeting.refusal.message.contains("no app com.example.Absent is installed"))
        await rig.daemon.stop()
    }

    /// Goal: a refused broker receives the reason, and the owner sees that a broker was refused, although it never
    /// named an app.
    @Test func moreBrokersThanThereMayBeAreToldSo() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let path = SocketPaths.broker(in: rig.runtime)
        let silent = try (0..<Daemon.ownersConnectionsMax).map { _ in try PacketSocket.connect(to: path) }
        // It sends nothing, because the daemon may have closed the connection before an order arrives.
        let further = try PacketSocket.connect(to: path)
        let greeting = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: further))
        #expect(greeting.refusal.message.hasPrefix("64 connections of brokers have not named their app"))
        guard case .closed = try further.waitForPacket(milliseconds: 10_000) else {
            Issue.record("still open")
            return
        }
        #expect(try rig.status.bounds.first { $0.bound == "connections-refused" }?.count == 1)
        withExtendedLifetime(silent) {}
        await rig.daemon.stop()
    }

    @Test func garbageFromABrokerEndsItsConnection() async throws {
        let rig = try await DaemonRig()
        let socket = try PacketSocket.connect(to: SocketPaths.broker(in: rig.runtime))
        #expect(try socket.send([0xFF, 0xFF]) == .sent)
        guard case .closed = try socket.waitForPacket(milliseconds: 10_000) else {
            Issue.record("it goes on")
            return
        }
        await rig.daemon.stop()
    }
}
