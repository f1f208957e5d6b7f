internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsCLinux
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for programs that read NMEA 0183.
///
/// Together they are an app: a prompt is shown, the granted precision applies, and no receiver runs without readers.
@Suite(.offPool, .timeLimit(.minutes(2))) struct NMEASocketTests {
    private let scratch: Scratch
    private var runtime: String { self.scratch.path + "/run" }
    private var path: String { self.scratch.path + "/nmea.sock" }

    init() throws {
        self.scratch = try Scratch()
        var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
        track.duration = 600
        try Data(track.log().utf8).write(to: URL(filePath: self.scratch.path + "/walk.nmea"))
    }

    private func locationd() throws -> Child {
        try self.scratch.startLocationd([
            "--replay", self.scratch.path + "/walk.nmea", "--nmea-socket", self.path, "--receiver-linger", "1",
        ])
    }

    private var isReceiverOn: Bool {
        get throws {
            try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.receiverOn
        }
    }

    private func settings(_ change: (inout WireSettingsRequest) -> Void = { _ in }) throws -> [WireAppSettings] {
        var request = WireSettingsRequest()
        change(&request)
        return try ControlCall.reply(to: .with { $0.settings = request }, in: self.runtime).settings.apps
    }

    /// Goal: readers receive positions only while the person allows it; the socket stays.
    @Test func readersAreAnAppThatIsAskedAbout() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let agent = try TestAgent(runtime: self.runtime)
        #expect(try self.settings().isEmpty && !self.isReceiverOn)
        let reader = try NMEAReader(self.path)
        let prompt = try agent.waitForPrompt()
        #expect(prompt.bundle == "locationd.nmea" && prompt.appName == "Programs that read NMEA 0183")
        #expect(prompt.purpose.contains("GeoClue"))
        try agent.answer(prompt.id, .dontAllow)
        let isDenied = try Waiting.until(within: 30) { try self.settings().first?.location == .never }
        #expect(isDenied && reader.isSilent)
        _ = try self.settings {
            $0.bundle = "locationd.nmea"
            $0.location = .whileUsing
        }
        let fix = try #require(reader.nextFix())
        let status = try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status
        #expect(!status.nextWake.reason.isEmpty, "a receiver that delivers is watched for silence")
        #expect(abs(fix.latitude - 53.54) < 0.01 && fix.horizontalAccuracy < 100)
        #expect(try self.isReceiverOn)
        let second = try NMEAReader(self.path)
        #expect(second.nextFix() != nil)
        reader.close()
        second.close()
        let isOff = try Waiting.until(within: 30) { try !self.isReceiverOn }
        #expect(isOff)
        // A second reader belongs to the same app.
        #expect(try NMEAReader(self.path).nextFix() != nil)
        #expect(try self.settings().count == 1)
    }

    @Test func whoIsToldApproximatelyIsToldNothingBetter() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let agent = try TestAgent(runtime: self.runtime)
        let reader = try NMEAReader(self.path)
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing, approximate: true)
        let fix = try #require(reader.nextFix())
        #expect(fix.horizontalAccuracy >= 1000 && fix.speed == nil && fix.course == nil)
        #expect(reader.heard.contains(",1,,99.99,"), "\(reader.heard)")
    }

    /// Goal: a new reader receives the last position at once, although approximate positions are sent four times an
    /// hour.
    ///
    /// Earlier readers receive nothing twice.
    @Test func aFurtherReaderHearsTheApproximatePlaceAtOnce() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let agent = try TestAgent(runtime: self.runtime)
        let first = try NMEAReader(self.path)
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing, approximate: true)
        let place = try #require(first.nextFix())
        let second = try NMEAReader(self.path)
        let same = try #require(second.nextFix())
        #expect(same.latitude == place.latitude && same.time == place.time && same.horizontalAccuracy >= 1000)
        #expect(first.isSilent && second.isSilent)
        // After a denial, a new reader does not receive earlier positions.
        _ = try self.settings {
            $0.bundle = "locationd.nmea"
            $0.location = .never
        }
        #expect(try NMEAReader(self.path).isSilent)
    }

    /// Goal: `status` shows the readers, their users and precision, and what is wrong with the socket.
    @Test func readersAreNamed() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        func socket() throws -> WireNMEASocketStatus {
            try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.nmeaSocket
        }
        let before = try socket()
        #expect(before.path == self.path && before.mode == 0o600 && before.readers.isEmpty && before.fault.isEmpty)
        let agent = try TestAgent(runtime: self.runtime)
        let reader = try NMEAReader(self.path)
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing, approximate: true)
        let isTold = try Waiting.until(within: 30) { try socket().authorization == .whenInUse }
        #expect(isTold)
        let status = try socket()
        let named = try #require(status.readers.first)
        #expect(status.readers.count == 1 && status.readersMax == 8 && status.reducedAccuracy)
        #expect(named.pid == getpid() && !named.program.isEmpty && !named.user.isEmpty)
        #expect(abs(Double(named.since) / 1e6 - Date().timeIntervalSince1970) < 60)
        reader.close()
        let isOver = try Waiting.until(within: 30) { try socket().readers.isEmpty }
        #expect(isOver)
        try FileManager.default.removeItem(atPath: self.path)
        let gone = try socket()
        #expect(gone.mode == 0 && gone.fault.contains("its file is gone"))
    }

    /// Goal: an order that needs a process says that there is none, and names the order to use instead.
    @Test func readersAreNoProcessToStartOrToEnd() async throws {
        let rig = try await DaemonRig(readsNMEA: true)
        let bundle = "locationd.nmea"
        let orders: [WireControlRequest] = [
            .with { $0.run.bundle = bundle }, .with { $0.terminate.bundle = bundle },
            .with {
                $0.phase.bundle = bundle
                $0.phase.phase = .background
            },
        ]
        for order in orders {
            let words = try rig.ask(order).failure.message
            #expect(words.contains("has no process to start or to end"), "\(words)")
            #expect(words.contains(rig.nmeaSocket) && words.contains("locationctl uninstall locationd.nmea"))
        }
        let agent = try TestAgent(rig)
        try agent.send(
            .with {
                $0.setPhase.bundle = bundle
                $0.setPhase.phase = .background
            }
        )
        #expect(try agent.waitForRefusal().contains("has no process to start or to end"))
        await rig.daemon.stop()
    }

    /// Goal: a reader that is refused repeatedly is refused and counted each time, but does not fill the log.
    @Test func aFloodOfReadersIsSomeLinesOfTheLog() async throws {
        let rig = try await DaemonRig(readsNMEA: true, log: EventLog())
        let readers = try (0..<NMEAPort.readersMax).map { _ in try NMEAReader(rig.nmeaSocket) }
        for _ in 0..<60 { #expect(try NMEAReader(rig.nmeaSocket).waitsForEnd()) }
        let bounds = try rig.status.bounds
        func count(_ name: String) -> UInt64 { bounds.first { $0.bound == name }?.count ?? 0 }
        #expect(count("nmea-readers-refused") == 60)
        // After some time, one more line is logged every 3 s.
        #expect((20...40).contains(count("notes-left-out")), "\(count("notes-left-out"))")
        withExtendedLifetime(readers) {}
        await rig.daemon.stop()
    }

    /// Goal: removing the readers in Settings disconnects them, and the next reader causes a prompt as if it were the
    /// first one.
    @Test func whoIsRemovedIsAskedAboutAnew() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let agent = try TestAgent(runtime: self.runtime)
        let reader = try NMEAReader(self.path)
        try agent.answer(try agent.waitForPrompt().id, .allowWhileUsing)
        #expect(reader.nextFix() != nil)
        let reply = try ControlCall.reply(
            to: .with { $0.uninstall.bundle = "locationd.nmea" },
            in: self.runtime
        )
        #expect(reply.failure.message == "" && reader.waitsForEnd())
        let other = try NMEAReader(self.path)
        #expect(try agent.waitForPrompt().bundle == "locationd.nmea")
        #expect(other.isSilent)
    }

    /// Goal: Debian's GeoClue reads what people granted to it, and its programs receive no more than that.
    @Test(
        .enabled(
            if: SystemBus.isThere && SystemBus.hasSandboxes
                && FileManager.default.fileExists(atPath: SystemBus.geoClue),
            "skipped: geoclue-2.0, dbus, python3-dbus, python3-gi or bubblewrap is not installed"
        )
    )
    func geoClueReads() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let person = try TestAgent(runtime: self.runtime)
        let bus = try SystemBus()
        let geoClue = try bus.geoClue(reading: self.path)
        // GeoClue has its bus name when its agents find it.
        var agent: Child?
        let isThere = try Waiting.until(within: 30) {
            let started = try bus.script("geoclue_agent.py", "8")
            agent = started
            return (try? started.waitForLine(within: 5) { $0 == "ready" }) != nil
        }
        try #require(isThere)
        let program = try bus.script("geoclue_client.py", "weather", "8")
        let prompt = try person.waitForPrompt()
        #expect(prompt.bundle == "locationd.nmea")
        try person.answer(prompt.id, .allowWhileUsing)
        _ = try program.waitForLine(within: 30) { $0.hasPrefix("position 53.54") }
        #expect(try self.isReceiverOn)
        // The last program leaves, so GeoClue no longer needs positions.
        program.terminate()
        let isOver = try Waiting.until(within: 30) {
            try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status.apps.allSatisfy {
                $0.process == "not running" && $0.streams == 0
            }
        }
        #expect(isOver)
        if let agent { bus.terminate(agent, geoClue) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3"), "skipped: python3 is not installed"))
    func anAppReadsNothing() async throws {
        let rig = try await DaemonRig(readsNMEA: true)
        let connect =
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\(rig.nmeaSocket)'); s.recv(1)"
        try rig.install("exec /usr/bin/python3 -c \"\(connect)\"")
        _ = try rig.ask(.with { $0.run.bundle = DaemonRig.bundle.rawValue })
        let isRefused = try Waiting.until(within: 20) {
            try rig.status.bounds.contains { $0.bound == "nmea-readers-refused" && $0.count > 0 }
        }
        #expect(isRefused)
        #expect(try rig.ask(.with { $0.settings = .init() }).settings.apps.count == 1)
        await rig.daemon.stop()
    }

    // MARK: The port

    private func port(_ events: EventCounts, admits: Bool = true, queue: DispatchQueue) throws -> NMEAPort {
        try NMEAPort(path: self.path, mode: 0o600, queue: queue, admits: { _, _ in admits }) { event in
            let name =
                switch event {
                case .readersChanged: "readersChanged"
                case .refused: "refused"
                case .cutOff: "cutOff"
                }
            events.counts.withLock { $0[name, default: 0] += 1 }
        }
    }

    private final class EventCounts: Sendable {
        let counts = Mutex<[String: Int]>([:])
        subscript(name: String) -> Int { self.counts.withLock { $0[name] ?? 0 } }
    }

    @Test func oneReaderTooManyIsTurnedAway() throws {
        let (events, queue) = (EventCounts(), DispatchQueue(label: "test"))
        let port = try self.port(events, queue: queue)
        port.activate {}
        defer { queue.sync { port.close() } }
        let readers = try (0...NMEAPort.readersMax).map { _ in try NMEAReader(self.path) }
        queue.sync { port.accept(at: WallTime(microseconds: 0)) { _ in } }
        #expect(queue.sync { port.readersCount } == NMEAPort.readersMax && events["refused"] == 1)
        #expect(readers.count { $0.waitsForEnd(seconds: 0.1) } == 1)
    }

    @Test func whoIsNotAdmittedHearsNothing() throws {
        let (events, queue) = (EventCounts(), DispatchQueue(label: "test"))
        let port = try self.port(events, admits: false, queue: queue)
        port.activate {}
        defer { queue.sync { port.close() } }
        let reader = try NMEAReader(self.path)
        queue.sync { port.accept(at: WallTime(microseconds: 0)) { _ in } }
        #expect(reader.waitsForEnd() && reader.heard.isEmpty)
    }

    /// Goal: a reader that does not read is disconnected, instead of receiving old positions later.
    ///
    /// Others do not wait for it.
    @Test func whoDoesNotReadIsCutOff() throws {
        let (events, queue) = (EventCounts(), DispatchQueue(label: "test"))
        let port = try self.port(events, queue: queue)
        port.activate {}
        defer { queue.sync { port.close() } }
        let idle = try NMEAReader(self.path)
        queue.sync { port.accept(at: WallTime(microseconds: 0)) { _ in } }
        let line = NMEAReport.nowhere(at: 0)
        for _ in 0..<1000 where queue.sync(execute: { port.readersCount }) == 1 { queue.sync { port.tell(line) } }
        #expect(queue.sync { port.readersCount } == 0 && events["cutOff"] == 1)
        // The earlier lines are complete, and few.
        #expect(idle.waitsForEnd() && idle.heard.utf8.count <= 64 * 1024)
    }
}

/// A program that reads the socket.
final class NMEAReader {
    private var descriptor: Int32
    private var decoder = NMEADecoder()
    private(set) var heard = ""

    init(_ path: String) throws {
        self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let descriptor = self.descriptor
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(connected == 0, "\(path): \(errno)")
    }

    deinit { self.close() }

    func close() {
        if self.descriptor >= 0 { Glibc.close(self.descriptor) }
        self.descriptor = -1
    }

    /// The bytes that arrived within a period, and whether the connection ended.
    private func receive(milliseconds: Int32) -> (bytes: [UInt8], hasEnded: Bool) {
        var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return ([], false) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(self.descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return ([], true) }
        self.heard += String(decoding: bytes.prefix(count), as: UTF8.self)
        return (Array(bytes.prefix(count)), false)
    }

    func nextFix() -> SourceFix? {
        var fix: SourceFix?
        _ = Waiting.until(within: 30) {
            let (bytes, hasEnded) = self.receive(milliseconds: 1000)
            for event in self.decoder.feed(bytes) + self.decoder.flush() {
                if case .measured(.fix(let measured)) = event { fix = measured }
            }
            return fix != nil || hasEnded
        }
        return fix
    }

    /// Whether no position arrives within half a second.
    var isSilent: Bool {
        let before = self.heard.count
        _ = self.receive(milliseconds: 500)
        return !self.heard.dropFirst(before).contains("RMC,") || self.heard.dropFirst(before).contains(",V,")
    }

    func waitsForEnd(seconds: Double = 30) -> Bool {
        Waiting.until(within: seconds) { self.receive(milliseconds: 100).hasEnded }
    }
}
