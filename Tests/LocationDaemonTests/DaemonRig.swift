internal import Foundation
internal import Logging
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// A daemon in this process, reached over its real sockets.
struct DaemonRig {
    static let bundle = BundleID("com.example.Test")

    let scratch: Scratch
    let daemon: Daemon
    /// The apps' ends of their connections; releasing one means that the app died.
    private let apps = Apps()
    var runtime: String { self.scratch.path + "/run" }
    var managementPath: String { self.scratch.path + "/rules.json" }
    var nmeaSocket: String { self.scratch.path + "/nmea.sock" }
    var beaconFeed: String { self.scratch.path + "/beacons.sock" }

    /// Starts a daemon, with the owner's rules if there are any.
    init(
        management: String? = nil,
        policy: Policy = Policy(),
        hearsBeacons: Bool = false,
        readsNMEA: Bool = false,
        scratch: Scratch? = nil,
        log: EventLog? = nil
    ) async throws {
        self.scratch = try scratch ?? Scratch()
        var logger = log?.logger ?? Logger(label: "test")
        if log == nil { logger.logLevel = .critical }
        if let management {
            try Data(management.utf8).write(to: URL(fileURLWithPath: self.scratch.path + "/rules.json"))
        }
        self.daemon = try Daemon(
            DaemonConfiguration(
                stateDirectory: self.scratch.path + "/state",
                runtimeDirectory: self.scratch.path + "/run",
                sources: [.gpsd(host: "127.0.0.1", port: 9)],
                beaconFeed: hearsBeacons ? self.scratch.path + "/beacons.sock" : nil,
                nmeaSocket: readsNMEA ? self.scratch.path + "/nmea.sock" : nil,
                gateway: nil,
                launcherPath: try ProcessTests.launcher(),
                policy: policy,
                managementPath: management == nil ? nil : self.scratch.path + "/rules.json"
            ),
            logger: logger
        )
        try await self.daemon.start()
    }

    private final class Apps: Sendable {
        let sockets = Mutex<[PacketSocket]>([])
    }

    typealias Control = WireControlRequest
    typealias Reply = WireControlReply

    func ask(_ request: Control) throws -> Reply {
        try ControlCall.reply(to: request, in: self.runtime)
    }

    static func packet(from socket: PacketSocket) throws -> [UInt8] {
        guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 10_000) else {
            throw WireError(malformed: "nothing came")
        }
        return packet
    }

    /// Installs an app with usage descriptions that may work in the background.
    func install(_ script: String = "exit 0") throws {
        let path = try self.scratch.makeBundle(adding: ["UIBackgroundModes": ["location"]])
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path + "/Test"))
        let reply = try self.ask(.with { $0.install = .with { $0.path = path } })
        #expect(reply.failure.message == "")
    }

    /// Connects an app as if the kernel had identified it; the test says whether the owner's rules make it visible.
    func connectApp(isSeen: Bool = true) async throws -> PacketSocket {
        let (own, other) = try PacketSocket.pair()
        await self.daemon.connect(other, Principal(bundle: Self.bundle, role: .app))
        self.apps.sockets.withLock { $0.append(own) }
        guard isSeen else { return own }
        // A connection belongs to no app until its first message.
        try self.declare(.init(), on: own)
        let isShown = try Waiting.until(within: 20) { try self.show(.foreground).failure.message.isEmpty }
        #expect(isShown)
        return own
    }

    func show(_ phase: WirePhase) throws -> Reply {
        try self.ask(
            .with {
                $0.phase.bundle = Self.bundle.rawValue
                $0.phase.phase = phase
            }
        )
    }

    /// Closes the apps' connections that nothing else retains: their processes died.
    func endApps() {
        self.apps.sockets.withLock { $0 = [] }
    }

    func declare(_ declaration: WireDeclaration, on socket: PacketSocket) throws {
        let message = WireClientMessage.with { $0.declaration = declaration }
        #expect(try socket.send(try WireMessage.encode(message)) == .sent)
    }

    /// Makes the app request When In Use authorization.
    func want(on socket: PacketSocket) throws {
        try self.declare(
            .with {
                $0.sessions = [
                    .with {
                        $0.id = 1
                        $0.requirement = .whenInUse
                    }
                ]
            },
            on: socket
        )
    }

    var status: WireDeviceStatus {
        get throws { try self.ask(.with { $0.status = .init() }).status }
    }
}

/// The test's end of the agent protocol.
struct TestAgent {
    let socket: PacketSocket

    init(_ rig: DaemonRig, languages: [String] = []) throws {
        try self.init(runtime: rig.runtime, languages: languages)
    }

    init(runtime: String, languages: [String] = []) throws {
        self.socket = try PacketSocket.connect(to: SocketPaths.agent(in: runtime))
        try self.send(
            .with {
                $0.hello = .with {
                    $0.version = 1
                    $0.languages = languages
                }
            }
        )
    }

    func send(_ request: AgentRequest) throws {
        #expect(try self.socket.send(try WireMessage.encode(request)) == .sent)
    }

    /// The next matching event; others are skipped.
    func wait<Value>(_ take: (AgentEvent.OneOf_Body) -> Value?) throws -> Value {
        while true {
            let packet = try DaemonRig.packet(from: self.socket)
            let event = try WireMessage.decode(AgentEvent.self, from: packet)
            if let body = event.body, let value = take(body) { return value }
        }
    }

    func waitForPrompt() throws -> AgentPrompt {
        try self.wait { if case .prompt(let prompt) = $0 { prompt } else { nil } }
    }

    func waitForWithdrawal() throws -> UInt64 {
        try self.wait { if case .withdrawal(let withdrawal) = $0 { withdrawal.prompt } else { nil } }
    }

    func waitForRefusal() throws -> String {
        try self.wait { if case .refusal(let refusal) = $0 { refusal.message } else { nil } }
    }

    func answer(_ prompt: UInt64, _ choice: AgentChoice, approximate: Bool = false) throws {
        try self.send(
            .with {
                $0.answer = .with {
                    $0.prompt = prompt
                    $0.choice = choice
                    $0.approximate = approximate
                }
            }
        )
    }
}

extension Daemon {
    fileprivate func connect(_ socket: PacketSocket, _ principal: Principal) {
        self.clients.connect(socket, principal, Caller(isLaunched: false), process: nil)
    }
}
