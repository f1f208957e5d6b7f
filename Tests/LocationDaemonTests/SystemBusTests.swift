internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationSources
internal import NIOPosix
internal import Rig
internal import Testing

@testable internal import LocationDaemon

private let python = "/usr/bin/python3"
private let hasBus =
    ["/usr/bin/dbus-daemon", python, "/usr/lib/python3/dist-packages/dbus", "/usr/lib/python3/dist-packages/gi"]
    .allSatisfy(FileManager.default.fileExists)

/// The examples for GeoClue and ModemManager, as they stand, against services of these interfaces on a real bus.
@Suite(.timeLimit(.minutes(1)), .enabled(if: hasBus, "skipped: dbus, python3-dbus or python3-gi is not installed"))
struct SystemBusTests {
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private let scratch: Scratch
    private let bus: Child
    private let environment: [String: String]

    init() throws {
        self.scratch = try Scratch()
        self.bus = try Child(
            "dbus-daemon",
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--print-address=1"],
            log: self.scratch.path + "/bus.log"
        )
        self.environment = ["DBUS_SYSTEM_BUS_ADDRESS": try self.bus.waitForLine(within: 30) { _ in true }]
    }

    private func services(_ arguments: String...) throws -> Child {
        let path = Self.tree.appending(path: "Tests/LocationDaemonTests/SystemBus/fake_services.py").path
        let services = try Child(
            "services",
            python,
            [path] + arguments,
            environment: self.environment,
            log: self.scratch.path + "/services.log"
        )
        _ = try services.waitForLine(within: 30) { $0 == "ready" }
        return services
    }

    private func example(_ name: String, _ argument: String) throws -> Child {
        let path = Self.tree.appending(path: "Examples/\(name)").path
        return try Child(name, python, [path, argument], environment: self.environment, log: self.log)
    }

    /// Words of the example on standard error.
    private var log: String { self.scratch.path + "/example.log" }

    /// A source, and the positions that come from it.
    private func source(_ way: ReceiverWay) -> (ReceiverSource, AsyncStream<Fix>) {
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = ReceiverSource(way, number: 0, group: MultiThreadedEventLoopGroup.singleton) { event in
            if case .measured(.fix(let fix)) = event { continuation.yield(fix) }
        }
        return (source, fixes)
    }

    /// Goal: GeoClue searches while somebody needs positions, and only then; what it does not know is not made up.
    @Test func geoClueIsAskedWhileSomebodyNeedsPositions() async throws {
        let services = try self.services()
        let path = self.scratch.path + "/geoclue.sock"
        let example = try self.example("GeoClue/geoclue.py", path)
        let (source, fixes) = self.source(.program(path: path))
        source.start()
        for await fix in fixes {
            #expect(fix.latitude == 535_451_000 && fix.longitude == 99_672_000)
            #expect(fix.horizontalAccuracy == 25_000 && fix.speed == 1250)
            #expect(fix.altitude == nil && fix.course == nil && fix.receiver == nil)
            break
        }
        source.stop()
        let calls = try (0..<2).map { _ in try services.waitForLine(within: 30) { $0.hasPrefix("GeoClue") } }
        #expect(calls == ["GeoClue starts whereabouts-geoclue at 8", "GeoClue stops"])
        for child in [example, services, self.bus] { child.terminate() }
    }

    /// Goal: the receiver of a modem is on while it is read, beside what others use of the modem.
    @Test func aModemsReceiverIsOnWhileItIsRead() async throws {
        let services = try self.services()
        let path = self.scratch.path + "/modem.nmea"
        let example = try self.example("ModemManager/modem_manager.py", path)
        #expect(Waiting.until(within: 30) { FileManager.default.fileExists(atPath: path) })
        let (source, fixes) = self.source(.nmea(.device(path: path)))
        source.start()
        for await fix in fixes {
            #expect(fix.latitude == 535_451_000 && fix.speed == 0)
            break
        }
        source.stop()
        let calls = try (0..<2).map { _ in try services.waitForLine(within: 30) { $0.hasPrefix("the modem") } }
        #expect(calls == ["the modem has 5 on", "the modem has 1 on"])
        for child in [example, services, self.bus] { child.terminate() }
    }

    /// Goal: a person hears why no position comes, and once.
    @Test func whatIsMissingIsSaid() async throws {
        let services = try self.services("deny", "no-modem")
        let path = self.scratch.path + "/geoclue.sock"
        let (source, _) = self.source(.program(path: path))
        source.start()
        let examples = [
            try self.example("GeoClue/geoclue.py", path),
            try self.example("ModemManager/modem_manager.py", self.scratch.path + "/modem.nmea"),
        ]
        let pipe = self.scratch.path + "/modem.nmea"
        #expect(Waiting.until(within: 30) { FileManager.default.fileExists(atPath: pipe) })
        let (modem, _) = self.source(.nmea(.device(path: pipe)))
        modem.start()
        let words = ["GeoClue: Access denied\n", "ModemManager: no modem has a satellite receiver"]
        let isSaid = Waiting.until(within: 30) {
            let log = (try? String(contentsOfFile: self.log, encoding: .utf8)) ?? ""
            return words.allSatisfy(log.contains)
        }
        #expect(isSaid)
        source.stop()
        modem.stop()
        for child in examples + [services, self.bus] { child.terminate() }
    }
}
