internal import Foundation
internal import Glibc
internal import Logging
internal import Rig
internal import ShellTranscripts
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Goal: locationd with real processes, sockets and files does what the transcripts say.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TranscriptShellTests {
    @Test(arguments: Transcript.all)
    func locationdDoesWhatTheTranscriptSays(_ transcript: Transcript) async throws {
        let shell = try await RealShell()
        try await OffPool.run {
            var shell = shell
            try shell.run(transcript)
        } finally: {
            await shell.daemon.stop()
        }
    }
}

/// A daemon whose app and extension the test controls.
private struct RealShell: TranscriptShell {
    /// A connection to the gateway, which gives every topic a token.
    final class Link: PushLinkPort {
        private let daemon: Daemon
        init(_ daemon: Daemon) { self.daemon = daemon }
        func register(_ bundle: BundleID) {
            let daemon = self.daemon
            Task { await daemon.feed(.pushTokenReceived(bundle, [1, 2, 3])) }
        }
        func unregister(_ bundle: BundleID) {}
        func enable(_ bundles: [BundleID]) {}
        func acknowledge(_ push: PushID) {}
        func read(_ isOn: Bool) {}
        func stop() {}
    }

    /// A process, represented by its end of the test's socket.
    final class Process: Sendable {
        let socket: PacketSocket
        let isExtension: Bool
        let pid: pid_t
        private struct State {
            var isSilent: Bool
            var isStopped = false
            var hasEnded = false
        }
        private let state: Mutex<State>

        init(_ socket: PacketSocket, isExtension: Bool, pid: pid_t, isSilent: Bool) {
            self.socket = socket
            self.isExtension = isExtension
            self.pid = pid
            self.state = Mutex(State(isSilent: isSilent))
        }

        var isSilent: Bool {
            get { self.state.withLock { $0.isSilent } }
            set { self.state.withLock { $0.isSilent = newValue } }
        }

        /// Records the process's end; returns whether it was not known.
        func ended() -> Bool {
            self.state.withLock { state in
                defer { state.hasEnded = true }
                return !state.hasEnded
            }
        }

        /// Whether the kernel has stopped it now; nil: as before.
        func changedToStopped() -> Bool? {
            guard let stat = try? String(contentsOfFile: "/proc/\(self.pid)/stat", encoding: .utf8),
                let name = stat.lastIndex(of: ")")
            else { return nil }
            let isStopped = stat[name...].dropFirst(2).first == "T"
            return self.state.withLock { state in
                guard !state.hasEnded, state.isStopped != isStopped else { return nil }
                state.isStopped = isStopped
                return isStopped
            }
        }

        func say(_ message: WireClientMessage) throws {
            _ = try self.socket.send(try WireMessage.encode(message))
        }
    }

    private static let patience: TimeInterval = 20
    let scratch: Scratch
    let daemon: Daemon
    private let listener: PacketSocket
    private var processes: [Process] = []
    private var keepsSilent = false
    private var kept: Set<String> = []
    private var measured = Date.distantPast

    private var spool: String { self.scratch.path + "/state/pushes" }
    private var app: Process? { self.processes.last { !$0.isExtension } }

    init() async throws {
        self.scratch = try Scratch()
        let binaries = try Binaries()
        var logger = EventLog().logger
        logger.logLevel = .critical
        self.daemon = try Daemon(
            DaemonConfiguration(
                stateDirectory: self.scratch.path + "/state",
                runtimeDirectory: self.scratch.path + "/run",
                sources: [.gpsd(host: "127.0.0.1", port: 9)],
                gateway: nil,
                launcherPath: binaries.path("location-launch"),
                policy: Transcript.policy,
                // Stopped by signals, a process shows it.
                cgroupDirectory: "none"
            ),
            logger: logger
        )
        let container = self.scratch.path + "/state/containers/\(Transcripts.app)"
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        self.listener = try PacketSocket.listen(at: container + "/puppet.socket", mode: 0o600)
        self.listener.setNonblocking()
        let bundle = try self.scratch.makeBundle(adding: ["UIBackgroundModes": ["location"]])
        for executable in [bundle + "/Test", bundle + "/PlugIns/Push.appex/Push"] {
            try FileManager.default.removeItem(atPath: executable)
            try FileManager.default.copyItem(atPath: binaries.path("Puppet"), toPath: executable)
        }
        try await self.daemon.start()
        let installed = try ControlCall.reply(
            to: .with {
                $0.install.path = bundle
                $0.install.approvedEntitlements = [Entitlement.push, Entitlement.pushEnvironment]
            },
            in: self.scratch.path + "/run"
        )
        try #require(installed.failure.message.isEmpty, "\(installed.failure.message)")
        await self.daemon.use(Link(self.daemon))
    }

    // MARK: Steps

    mutating func perform(_ step: Transcript.Step) throws {
        switch step {
        case .keepSilent: self.keepsSilent = true
        case .speak: try self.app?.say(.with { $0.declaration = .init() })
        case .run: try self.order(.with { $0.run.bundle = Transcripts.app.rawValue })
        case .hide: try self.show(.background)
        case .show: try self.show(.foreground)
        case .close: try self.order(.with { $0.terminate.bundle = Transcripts.app.rawValue })
        case .crash: if let app = self.app { kill(app.pid, SIGKILL) }
        case .allowAlways:
            try self.order(
                .with {
                    $0.settings.bundle = Transcripts.app.rawValue
                    $0.settings.location = .always
                }
            )
        case .sayTooMuch: try self.app?.say(.with { $0.declaration = Transcripts.wire(Transcripts.tooMuch) })
        case .askForToken: try self.app?.say(.with { $0.pushTokenRequest.request = 7 })
        case .readPositions: try self.app?.say(.with { $0.declaration = Transcripts.wire(Transcripts.reading) })
        // Pushes cannot be saved, as on a full disk: a file is in the folder's place.
        case .fillDisk:
            try FileManager.default.removeItem(atPath: self.spool)
            try Data().write(to: URL(filePath: self.spool))
        case .emptyDisk:
            try FileManager.default.removeItem(atPath: self.spool)
            try FileManager.default.createDirectory(atPath: self.spool, withIntermediateDirectories: false)
        case .push(let number): self.push(number)
        case .complete(let number):
            let message = WireClientMessage.with { $0.pushCompleted.pushLow = number }
            try self.processes.last { $0.isExtension }?.say(message)
        case .wait: break
        }
    }

    private func push(_ number: UInt64) {
        let payload = Transcripts.payload(number)
        let push = Push(
            id: PushID(high: 0, low: number),
            bundle: Transcripts.app,
            payload: payload,
            isObject: JSONObject.isObject(payload),
            expiration: nil,
            received: Clocks.now().monotonic
        )
        let daemon = self.daemon
        Task { await daemon.feed(.pushArrived(push)) }
    }

    private func show(_ phase: WirePhase) throws {
        try self.order(
            .with {
                $0.phase.bundle = Transcripts.app.rawValue
                $0.phase.phase = phase
            }
        )
    }

    private func order(_ request: WireControlRequest) throws {
        let reply = try ControlCall.reply(to: request, in: self.scratch.path + "/run")
        #expect(reply.failure.message.isEmpty, "\(reply.failure.message)")
    }

    // MARK: Words

    mutating func words(expected: Int) throws -> [String] {
        var words: [String] = []
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        while words.count < expected, Date() < deadline {
            words += try self.observe()
            self.measure()
        }
        return words + (try self.observe())
    }

    /// A receiver that always has a position; the engine reads it while an app needs it.
    private mutating func measure() {
        guard Date().timeIntervalSince(self.measured) > 0.2 else { return }
        self.measured = Date()
        let now = Clocks.now()
        let fix = Fix(latitude: 1, longitude: 1, horizontalAccuracy: 5000, time: now.wall, arrival: now.monotonic)
        let daemon = self.daemon
        Task {
            await daemon.feed(.sensed(.ready(.receiver)))
            await daemon.feed(.sensed(.fix(fix)))
        }
    }

    private mutating func observe() throws -> [String] {
        var words: [String] = []
        while let socket = self.listener.accept() {
            guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 10_000) else { continue }
            let isExtension = packet.first == UInt8(ascii: "E")
            let pid = pid_t(String(decoding: packet.dropFirst(), as: UTF8.self)) ?? 0
            let process = Process(socket, isExtension: isExtension, pid: pid, isSilent: self.keepsSilent)
            self.processes.append(process)
            words.append(isExtension ? "extension started" : "app started")
        }
        var arrival = pollfd(fd: self.listener.descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&arrival, 1, 20)
        for process in self.processes { words += try self.observe(process) }
        let names = Set((try? FileManager.default.contentsOfDirectory(atPath: self.spool)) ?? [])
        for name in names.subtracting(self.kept) {
            if let number = name.split(separator: ".").first.flatMap({ UInt64($0.suffix(16), radix: 16) }) {
                words.append("kept \(number)")
                self.kept.insert(name)
            }
        }
        return words
    }

    private func observe(_ process: Process) throws -> [String] {
        var words: [String] = []
        if let isStopped = process.changedToStopped() { words.append(isStopped ? "app stopped" : "app goes on") }
        while true {
            switch try process.socket.waitForPacket(milliseconds: 5) {
            case .empty: return words
            case .closed:
                if process.ended() { words.append(process.isExtension ? "extension ended" : "app ended") }
                return words
            case .packet(let packet, _): words += try self.word(packet, process)
            }
        }
    }

    private func word(_ packet: [UInt8], _ process: Process) throws -> [String] {
        switch packet.first.map({ Unicode.Scalar($0) }) {
        case "C":
            if !process.isSilent { try process.say(.with { $0.declaration = .init() }) }
            return []
        case "X": return process.isExtension ? [] : ["app cut"]
        case "P":
            let message = try WireMessage.decode(
                WireDaemonMessage.self,
                from: Array(packet.dropFirst())
            )
            if case .finish = message.body { kill(process.pid, SIGTERM) }
            return message.word(process.isExtension).map { [$0] } ?? []
        default: return []
        }
    }
}

extension Daemon {
    fileprivate func use(_ link: any PushLinkPort) { self.gateway.link = link }
}

extension WireDaemonMessage {
    fileprivate func word(_ isExtension: Bool) -> String? {
        switch (self.body, isExtension) {
        case (.state, false): "app: state"
        case (.diagnostics, false): "app: diagnostics"
        case (.pushToken, false): "app: token"
        case (.push(let push), true): "extension: push \(Transcripts.number(in: Array(push.payload)))"
        default: nil
        }
    }
}
