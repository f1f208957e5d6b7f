internal import Foundation
internal import NIOPosix
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources

@testable internal import WhereaboutsLocationDaemon

/// Tests the examples for GeoClue, ModemManager and Wi-Fi, unchanged, with services of these interfaces on a real bus.
@Suite(
    .offPool,
    .timeLimit(.minutes(3)),
    .enabled(if: SystemBus.isThere, "skipped: dbus, python3-dbus or python3-gi is not installed")
)
struct SystemBusTests {
    private let bus: SystemBus

    init() throws {
        self.bus = try SystemBus()
    }

    /// The port of the service that knows Wi-Fi stations.
    private func port(_ services: Child) throws -> String {
        String(try services.waitForLine(within: 30) { $0.hasPrefix("port ") }.dropFirst("port ".count))
    }

    /// A source, and the positions that it reports.
    private func source(_ way: ReceiverWay) -> (ReceiverSource, AsyncStream<Fix>) {
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = ReceiverSource(way, number: 0, group: MultiThreadedEventLoopGroup.singleton) { event in
            if case .measured(.fix(let fix)) = event { continuation.yield(fix) }
        }
        return (source, fixes)
    }

    /// Goal: GeoClue searches only while an app needs positions, and missing values are not invented.
    @Test func geoClueIsAskedWhileSomebodyNeedsPositions() async throws {
        let services = try self.bus.services("fake_services.py")
        let path = self.bus.scratch.path + "/geoclue.sock"
        let example = try self.bus.example("Receivers/geoclue.py", path)
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
        self.bus.terminate(example, services)
    }

    /// Goal: the modem's receiver is on only while it is read, and its other users are not disturbed.
    @Test func aModemsReceiverIsOnWhileItIsRead() async throws {
        let services = try self.bus.services("fake_services.py")
        let path = self.bus.scratch.path + "/modem.nmea"
        let example = try self.bus.example("Receivers/modem_manager.py", path)
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
        self.bus.terminate(example, services)
    }

    /// Goal: the service is asked once for the same stations, and never about stations whose owner or maker opted out.
    @Test func stationsAreAskedAboutOnce() async throws {
        let services = try self.bus.services("fake_services.py")
        let port = try self.port(services)
        let path = self.bus.scratch.path + "/wifi.sock"
        let service = "http://localhost:\(port)/v1/geolocate"
        let example = try self.bus.example("Receivers/wifi.py", path, "--service", service, "--yes")
        let (source, fixes) = self.source(.program(path: path))
        source.start()
        for await fix in fixes.prefix(2) {
            let accuracy = try #require(fix.horizontalAccuracy)
            #expect(fix.latitude == 535_451_000 && fix.longitude == 99_672_000 && (30_000...45_000).contains(accuracy))
        }
        source.stop()
        let asked = try services.waitForLine(within: 30) { $0.hasPrefix("asked") }
        let stations = "00:25:9c:00:00:02 -60, 00:25:9c:00:00:01 -70"
        #expect(asked.hasPrefix("asked /v1/geolocate about \(stations) {"), "\(asked)")
        #expect(asked.contains(#""considerIp": false"#) && asked.contains(#""ipf": false"#))
        let agreed = try String(contentsOfFile: self.bus.scratch.path + "/whereabouts/wifi-service", encoding: .utf8)
        #expect(agreed == service + "\n")
        services.terminate()
        let rest = try services.waitForEnd(within: 30).output
        #expect(!rest.contains("asked"), "asked once for both: \(rest)")
        self.bus.terminate(example)
    }

    /// Goal: the reason for missing positions is reported, once.
    @Test func whatIsMissingIsSaid() async throws {
        let services = try self.bus.services("fake_services.py", "deny", "no-modem", "no-wifi")
        let port = try self.port(services)
        let path = self.bus.scratch.path + "/geoclue.sock"
        let wifi = self.bus.scratch.path + "/wifi.sock"
        let (source, _) = self.source(.program(path: path))
        let (stations, _) = self.source(.program(path: wifi))
        source.start()
        stations.start()
        let examples = [
            try self.bus.example("Receivers/geoclue.py", path),
            try self.bus.example("Receivers/modem_manager.py", self.bus.scratch.path + "/modem.nmea"),
            try self.bus.example("Receivers/wifi.py", wifi, "--service", "http://localhost:\(port)/", "--yes"),
        ]
        let pipe = self.bus.scratch.path + "/modem.nmea"
        #expect(Waiting.until(within: 30) { FileManager.default.fileExists(atPath: pipe) })
        let (modem, _) = self.source(.nmea(.device(path: pipe)))
        modem.start()
        let words = [
            "GeoClue: Access denied\n", "ModemManager: no modem has a satellite receiver",
            "NetworkManager: there is no Wi-Fi adapter, or it is switched off\n",
        ]
        #expect(self.bus.isSaid(words))
        source.stop()
        stations.stop()
        modem.stop()
        self.bus.terminate(examples[0], examples[1], examples[2], services)
    }
}
