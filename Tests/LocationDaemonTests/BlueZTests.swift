internal import Foundation
internal import NIOPosix
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for the BlueZ scanner, unchanged, with a fake of BlueZ's interface on a real bus.
@Suite(
    .offPool,
    .timeLimit(.minutes(3)),
    .enabled(if: SystemBus.isThere, "skipped: dbus, python3-dbus or python3-gi is not installed")
)
struct BlueZTests {
    private static let received = SensorReport.scanned(
        Advertisement(
            beacon: Beacon(
                uuid: Beacon.OwnerID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0),
                major: 1,
                minor: 2
            ),
            rssi: -65,
            measuredPower: -59
        )
    )

    private let bus: SystemBus
    private let feed: BeaconFeed
    private let reports: AsyncStream<SensorReport>
    private var path: String { self.feed.path }

    init() throws {
        self.bus = try SystemBus()
        let (reports, continuation) = AsyncStream.makeStream(of: SensorReport.self)
        self.reports = reports
        self.feed = BeaconFeed(
            path: self.bus.scratch.path + "/beacons.sock",
            group: MultiThreadedEventLoopGroup.singleton
        ) {
            continuation.yield($0)
        } health: { _ in
        }
    }

    /// The reports until one satisfies a condition.
    private func reports(until last: SensorReport) async -> [SensorReport] {
        var reports: [SensorReport] = []
        for await report in self.reports {
            reports.append(report)
            if report == last { break }
        }
        return reports
    }

    /// Goal: the adapter discovers only while an app needs beacons, and only iBeacons are reported.
    @Test func theAdapterDiscoversWhileSomebodyNeedsBeacons() async throws {
        let adapter = try self.bus.services("fake_bluez.py")
        let scanner = try self.bus.example("BlueZ/bluez.py", self.path)
        self.feed.start()
        // The scanner reports once a second that it listens, whatever it receives.
        var reports: [SensorReport] = []
        for _ in 0..<2 { reports += await self.reports(until: .scanned(nil)) }
        #expect(Set(reports) == [.ready(.scanner), .scanned(nil), Self.received])
        self.feed.stop()
        let calls = try (0..<2).map { _ in try adapter.waitForLine(within: 30) { $0.hasPrefix("hci0") } }
        #expect(calls == ["hci0 discovers le", "hci0 stops"])
        self.bus.terminate(scanner, adapter)
    }

    /// Goal: switching the adapter off during discovery does not report that beacons left, and discovery resumes later.
    @Test func anAdapterThatIsSwitchedOffIsNotListening() async throws {
        let adapter = try self.bus.services("fake_bluez.py", "switched-off")
        let scanner = try self.bus.example("BlueZ/bluez.py", self.path)
        self.feed.start()
        #expect(await self.reports(until: .lost(.scanner)).contains(Self.received))
        #expect(self.bus.isSaid(["BlueZ: the Bluetooth adapter was switched off"]))
        let after = await self.reports(until: Self.received)
        #expect(after.first == .ready(.scanner))
        self.feed.stop()
        self.bus.terminate(scanner, adapter)
    }

    /// Goal: while BlueZ hangs or is gone, the scanner does not report that it listens.
    @Test func aHangingBlueZIsNotListening() async throws {
        let adapter = try self.bus.services("fake_bluez.py", "hang")
        let scanner = try self.bus.example("BlueZ/bluez.py", self.path)
        self.feed.start()
        #expect(await self.reports(until: .lost(.scanner)).contains(Self.received))
        #expect(self.bus.isSaid(["BlueZ: it does not answer"]))
        adapter.terminate()
        #expect(self.bus.isSaid(["BlueZ: it does not run"]))
        let another = try self.bus.services("fake_bluez.py")
        #expect(await self.reports(until: Self.received).contains(.ready(.scanner)))
        self.feed.stop()
        self.bus.terminate(scanner, another)
    }

    /// Goal: the person can read why no beacon is received.
    @Test(arguments: [
        ("no-adapter", "BlueZ: there is no Bluetooth adapter"), ("off", "BlueZ: the Bluetooth adapter is off"),
        ("deny", "BlueZ: this user may not use it"),
    ])
    func whatIsMissingIsSaid(_ trouble: String, _ words: String) async throws {
        let adapter = try self.bus.services("fake_bluez.py", trouble)
        let scanner = try self.bus.example("BlueZ/bluez.py", self.path)
        self.feed.start()
        #expect(await self.reports(until: .lost(.scanner)) == [.ready(.scanner), .lost(.scanner)])
        #expect(self.bus.isSaid([words]))
        self.feed.stop()
        self.bus.terminate(scanner, adapter)
    }
}
