internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// Tests for ranging and beacon regions, on a device that the test controls.
@Suite struct BeaconManagerTests {
    private final class Listener: NSObject, CLLocationManagerDelegate {
        var heard: [String] = []
        var beacons: [CLBeacon] = []

        func locationManager(
            _ manager: CLLocationManager,
            didRange beacons: [CLBeacon],
            satisfying constraint: CLBeaconIdentityConstraint
        ) {
            self.heard.append("\(beacons.count) of \(constraint.major.map { "\($0)" } ?? "any")")
            self.beacons = beacons
        }
        func locationManager(
            _ manager: CLLocationManager,
            didFailRangingFor constraint: CLBeaconIdentityConstraint,
            error: any Error
        ) {
            self.heard.append("fail \((error as? CLError)?.code.rawValue ?? -1)")
        }
        @available(*, deprecated)
        func locationManager(
            _ manager: CLLocationManager,
            didRangeBeacons beacons: [CLBeacon],
            in region: CLBeaconRegion
        ) {
            self.heard.append("\(beacons.count) in \(region.identifier)")
        }
        @available(*, deprecated)
        func locationManager(
            _ manager: CLLocationManager,
            rangingBeaconsDidFailFor region: CLBeaconRegion,
            withError error: any Error
        ) {
            self.heard.append("fail \(region.identifier) \((error as? CLError)?.code.rawValue ?? -1)")
        }
        func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
            self.heard.append("enter \(region.identifier)")
        }
        func locationManager(
            _ manager: CLLocationManager,
            didDetermineState state: CLRegionState,
            for region: CLRegion
        ) {
            self.heard.append("\(state == .inside ? "inside" : "outside") \(region.identifier)")
        }
        func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
            self.heard.append("start \(region.identifier)")
        }
    }

    private let calls = HeldCalls()
    private let device: FakeDevice
    private let client: LocationClient
    private let manager: CLLocationManager
    private let listener = Listener()
    private let uuid = UUID()

    init() {
        self.device = FakeDevice(callbacks: self.calls.context)
        self.client = LocationClient(transport: self.device)
        self.manager = CLLocationManager(client: self.client)
        self.manager.delegate = self.listener
        self.calls.run()
    }

    private func heard() -> [String] {
        self.calls.run()
        defer { self.listener.heard = [] }
        return self.listener.heard
    }

    private func give(_ beacons: [WireRangedBeacon], to stream: Int = 0) {
        let id = self.device.streams[stream].id
        self.device.tell(
            .with {
                $0.update.stream = id
                $0.update.beacons.beacons = beacons
            }
        )
    }

    private func beacon(minor: UInt32 = 2) -> WireRangedBeacon {
        .with {
            $0.beacon = WireBeaconIdentity(BeaconIdentity(uuid: self.uuid, major: 1, minor: UInt16(minor)))
            $0.rssi = -65
            $0.accuracy = 1995
            $0.proximity = .near
            $0.time = 7_000_000
        }
    }

    @Test func aConstraintIsRangedUntilItIsStopped() throws {
        let constraint = CLBeaconIdentityConstraint(uuid: self.uuid, major: 1)
        self.manager.startRangingBeacons(satisfying: constraint)
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid, major: 1))
        let wire = try #require(self.device.streams.first?.ranging)
        #expect(self.device.streams.count == 1 && BeaconIdentity(wire) == constraint.identity)
        #expect(self.manager.rangedBeaconConstraints == [constraint])
        self.give([self.beacon()])
        #expect(self.heard() == ["1 of 1"])
        let beacon = try #require(self.listener.beacons.first)
        #expect(beacon.uuid == self.uuid && beacon.major == 1 && beacon.minor == 2)
        #expect(beacon.rssi == -65 && beacon.accuracy == 1.995 && beacon.proximity == .near)
        #expect(beacon.timestamp.timeIntervalSince1970 == 7)
        self.give([])
        #expect(self.heard() == ["0 of 1"])
        let id = self.device.streams[0].id
        self.manager.stopRangingBeacons(satisfying: constraint)
        #expect(self.device.streams.isEmpty && self.manager.rangedBeaconConstraints.isEmpty)
        self.device.tell(
            .with {
                $0.update.stream = id
                $0.update.beacons = .init()
            }
        )
        #expect(self.heard().isEmpty)
    }

    @Test func aDelegateThatIsBusyHearsTheNewestOfEach() {
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid))
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid, major: 1))
        for count in 1...50 {
            self.give((0..<count % 3).map { self.beacon(minor: UInt32($0)) }, to: 0)
            self.give([self.beacon()], to: 1)
        }
        #expect(self.heard() == ["2 of any", "1 of 1"])
    }

    @Test(arguments: [
        (UInt32(1 << 10), CLError.Code.rangingUnavailable), (1 << 0, .denied), (1 << 6, .denied),
        (1 << 0 | 1 << 5, .rangingUnavailable), (1 << 7, .rangingUnavailable),
    ])
    func whyThereAreNoneIsTold(diagnostics: UInt32, code: CLError.Code) {
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid))
        self.device.give(diagnostics: diagnostics, to: self.device.streams[0].id)
        #expect(self.heard() == ["fail \(code.rawValue)"])
    }

    @Test func aPersonWhoIsAskedIsNoError() {
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid))
        self.device.give(diagnostics: 1 << 1, to: self.device.streams[0].id)
        #expect(self.heard().isEmpty)
    }

    @Test func withoutADeviceItIsUnavailable() {
        self.device.report(.disconnected)
        self.calls.run()
        self.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid))
        #expect(self.heard() == ["fail \(CLError.Code.rangingUnavailable.rawValue)"])
    }

    @Test @available(*, deprecated) func theOlderCallsTellOfRegions() {
        let region = CLBeaconRegion(uuid: self.uuid, identifier: "shop")
        self.manager.startRangingBeacons(in: region)
        #expect(self.manager.rangedRegions == [region] && self.manager.rangedBeaconConstraints.isEmpty)
        self.give([self.beacon()])
        self.device.give(diagnostics: 1 << 10, to: self.device.streams[0].id)
        #expect(self.heard() == ["fail shop 16"], "the newest of a busy delegate")
        self.give([self.beacon()])
        #expect(self.heard() == ["1 in shop"])
        self.manager.stopRangingBeacons(in: region)
        #expect(self.device.streams.isEmpty)
    }

    @Test func theEndOfAManagerEndsItsStreams() {
        do {
            let manager = CLLocationManager(client: self.client)
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: self.uuid))
            #expect(self.device.streams.count == 1)
        }
        #expect(self.device.streams.isEmpty)
    }

    // MARK: Regions

    @Test func aRegionOfBeaconsIsTheDevices() throws {
        let region = CLBeaconRegion(uuid: self.uuid, major: 3, identifier: "shop")
        region.notifyOnExit = false
        region.notifyEntryStateOnDisplay = true
        self.manager.startMonitoring(for: region)
        let change = try #require(self.device.monitorChanges.last)
        guard case .add(let add)? = change.kind else { throw CancellationError() }
        #expect(BeaconIdentity(add.beacon) == region.identity && add.notices == 1 << 0 | 1 << 3)
        let kept = try #require(self.manager.monitoredRegions.first as? CLBeaconRegion)
        #expect(kept.major == 3 && !kept.notifyOnExit && kept.notifyEntryStateOnDisplay)
        self.device.tell(
            .with {
                $0.monitorTaken.monitor = change.monitor
                $0.monitorTaken.change = change.number
            }
        )
        self.device.tell(
            .with {
                $0.monitorEvent.monitor = change.monitor
                $0.monitorEvent.identifier = "shop"
            }
        )
        #expect(self.heard() == ["start shop"])
        self.device.tell(
            .with {
                $0.monitorEvent.monitor = change.monitor
                $0.monitorEvent.identifier = "shop"
                $0.monitorEvent.state = .satisfied
                $0.monitorEvent.number = 5
            }
        )
        #expect(self.heard() == ["inside shop", "enter shop"])
        // The state is sent again, since the display was switched on.
        self.device.tell(
            .with {
                $0.monitorEvent.monitor = change.monitor
                $0.monitorEvent.identifier = "shop"
                $0.monitorEvent.state = .satisfied
                $0.monitorEvent.time = 1
                $0.monitorEvent.number = 6
            }
        )
        #expect(self.heard() == ["inside shop"])
        guard case .handled(6)? = self.device.monitorChanges.last?.kind else { throw CancellationError() }
    }

    @Test func aRegionOfAnEarlierProcessIsKnown() throws {
        let identity = BeaconIdentity(uuid: self.uuid, major: 3)
        self.device.tell {
            $0.regions = [
                .with {
                    $0.identifier = "shop"
                    $0.beacon = WireBeaconIdentity(identity)
                    $0.notices = 3
                },
                // A value of a later version.
                .with { $0.identifier = "cloud" },
            ]
        }
        let manager = CLLocationManager(client: self.client)
        let regions = manager.monitoredRegions
        #expect(regions.map(\.identifier) == ["shop"])
        #expect((regions.first as? CLBeaconRegion)?.identity == identity)
    }

    @Test func theScannerIsKnownByTheDevicesWord() {
        LocationClient.$ofTask.withValue(self.client) {
            #expect(!CLLocationManager.isRangingAvailable())
            #expect(!CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
            self.device.tell { $0.scannerPresent = true }
            #expect(CLLocationManager.isRangingAvailable())
            #expect(CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
            #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
            #expect(!CLLocationManager.isMonitoringAvailable(for: CLRegion.self))
        }
    }
}
