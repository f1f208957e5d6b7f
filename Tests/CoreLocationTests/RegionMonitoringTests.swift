internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// Tests for regions of managers, on a device that the test controls.
@Suite struct RegionMonitoringTests {
    private final class Listener: NSObject, CLLocationManagerDelegate {
        var heard: [String] = []

        func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
            self.heard.append("enter \(region.identifier)")
        }
        func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
            self.heard.append("exit \(region.identifier)")
        }
        func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
            self.heard.append("start \(region.identifier)")
        }
        func locationManager(
            _ manager: CLLocationManager,
            didDetermineState state: CLRegionState,
            for region: CLRegion
        ) {
            self.heard.append("\(region.identifier) \(state)")
        }
        func locationManager(
            _ manager: CLLocationManager,
            monitoringDidFailFor region: CLRegion?,
            withError error: any Error
        ) {
            self.heard.append("fail \(region?.identifier ?? "") \((error as? CLError)?.code.rawValue ?? -1)")
        }
    }

    private let calls = HeldCalls()
    private let device: FakeDevice
    private let client: LocationClient
    private let manager: CLLocationManager
    private let listener = Listener()
    private let region = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 53.5, longitude: -10),
        radius: 200,
        identifier: "home"
    )

    init() {
        self.device = FakeDevice(callbacks: self.calls.context)
        self.client = LocationClient(transport: self.device)
        self.manager = CLLocationManager(client: self.client)
        self.manager.delegate = self.listener
    }

    private var monitor: UInt64 { self.device.declaration?.monitors.first?.id ?? 0 }

    private func take() {
        let last = self.device.monitorChanges.last?.number ?? 0
        let monitor = self.monitor
        self.device.tell(
            .with {
                $0.monitorTaken.monitor = monitor
                $0.monitorTaken.change = last
            }
        )
    }

    private func tell(_ state: WireConditionState, number: UInt64 = 0, diagnostics: UInt32 = 0, time: Int64 = 1) {
        let monitor = self.monitor
        self.device.tell(
            .with {
                $0.monitorEvent.monitor = monitor
                $0.monitorEvent.identifier = "home"
                $0.monitorEvent.state = state
                $0.monitorEvent.number = number
                $0.monitorEvent.time = time
                $0.monitorEvent.diagnostics = diagnostics
            }
        )
    }

    private func heard() -> [String] {
        self.calls.run()
        defer { self.listener.heard = [] }
        return self.listener.heard
    }

    private var handled: [UInt64] {
        self.device.monitorChanges.compactMap { if case .handled(let event) = $0.kind { event } else { nil } }
    }

    @Test func everyManagerHearsOfACrossing() {
        let second = CLLocationManager(client: self.client)
        let other = Listener()
        second.delegate = other
        self.manager.startMonitoring(for: self.region)
        #expect(self.device.declaration?.monitors.map(\.name) == ["_regions"])
        #expect(self.manager.monitoredRegions == [self.region] && second.monitoredRegions == [self.region])
        self.take()
        #expect(self.heard() == [], "the device does not monitor it yet")
        self.tell(.unknown)
        #expect(self.heard() == ["start home"])
        other.heard = []
        self.tell(.satisfied, number: 4)
        #expect(self.handled == [], "the delegates were not told yet")
        #expect(self.heard() == ["home inside", "enter home"])
        #expect(other.heard == ["home inside", "enter home"])
        #expect(self.handled == [4])
        self.tell(.unsatisfied, number: 5, time: 2)
        #expect(self.heard().contains("exit home"))
    }

    @Test func aCrossingThatIsNotWantedIsNotTold() {
        self.region.notifyOnExit = false
        self.manager.startMonitoring(for: self.region)
        guard case .add(let add)? = self.device.monitorChanges.last?.kind else {
            Issue.record("nothing was added")
            return
        }
        #expect(add.notices == 1)
        self.take()
        self.tell(.unknown)
        _ = self.heard()
        self.tell(.unsatisfied)
        #expect(self.heard() == [])
        #expect((self.manager.monitoredRegions.first as? CLCircularRegion)?.notifyOnExit == false)
    }

    @Test func aRegionStartsOnceTheDeviceMonitorsIt() {
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.tell(.unknown, diagnostics: 1 << 1)
        #expect(self.heard() == [], "the person is being asked")
        self.tell(.unknown)
        self.tell(.satisfied)
        #expect(self.heard() == ["start home"])
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.tell(.satisfied)
        #expect(self.heard() == ["start home"], "it is started again")
    }

    /// A device that begins to monitor a region does not know its state.
    ///
    /// This is not an answer to a request for the state.
    @Test func theStartAnswersNoRequestForTheState() {
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.manager.requestState(for: self.region)
        self.tell(.unknown)
        #expect(self.heard() == ["start home"])
        self.tell(.unsatisfied)
        #expect(self.heard().map { $0.hasSuffix("outside") } == [true])
    }

    /// The device loses this information with the process, so the region counts as not started.
    @Test func aRegionThatHasNotStartedIsStartedAgainOnTheNextConnection() {
        self.manager.startMonitoring(for: self.region)
        self.take()
        let before = self.device.monitorChanges.count
        self.device.report(.disconnected)
        self.device.report(.connected)
        #expect(self.device.monitorChanges.count == before)
        let monitor = self.monitor
        self.device.tell(.with { $0.monitorOpened.monitor = monitor })
        #expect(self.device.monitorChanges.count == before + 1)
        self.device.tell(.with { $0.monitorOpened.monitor = monitor })
        #expect(self.device.monitorChanges.count == before + 1, "the device has not taken it yet")
        self.take()
        self.tell(.unknown)
        self.device.tell(.with { $0.monitorOpened.monitor = monitor })
        #expect(self.heard() == ["start home"])
        #expect(self.device.monitorChanges.count == before + 1)
    }

    @Test func aStateIsToldWhenItIsAskedFor() {
        self.manager.requestState(for: self.region)
        #expect(self.heard().map { $0.hasSuffix("unknown") } == [true], "it is not watched")
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.tell(.unknown)
        _ = self.heard()
        self.manager.requestState(for: self.region)
        #expect(self.heard() == [], "it is not known yet")
        self.tell(.satisfied)
        #expect(self.heard().map { $0.hasSuffix("inside") } == [true])
        self.manager.requestState(for: self.region)
        #expect(self.heard().map { $0.hasSuffix("inside") } == [true])
        self.manager.stopMonitoring(for: self.region)
        #expect(self.manager.monitoredRegions.isEmpty)
    }

    @Test func aRegionBeyondTheLimitFailsAndIsNotKept() {
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.tell(.unmonitored, diagnostics: 1 << 9)
        #expect(self.heard() == ["fail home \(CLError.Code.regionMonitoringFailure.rawValue)"])
        #expect(self.manager.monitoredRegions.isEmpty)
        guard case .remove("home")? = self.device.monitorChanges.last?.kind else {
            Issue.record("it was not removed")
            return
        }
    }

    @Test(arguments: [
        (UInt32(1), CLError.Code.regionMonitoringDenied), (1 << 6, .regionMonitoringDenied),
        (1 << 10, .regionMonitoringSetupDelayed),
    ]) func reasonsAreApplesErrors(_ diagnostics: UInt32, _ code: CLError.Code) {
        self.manager.startMonitoring(for: self.region)
        self.take()
        self.tell(.unknown, diagnostics: diagnostics)
        #expect(self.heard() == ["fail home \(code.rawValue)"])
        #expect(self.manager.monitoredRegions == [self.region])
    }

    @Test func regionsOfAnEarlierLaunchAreKnownAndReadAtOnce() {
        let device = FakeDevice(
            saying: .with {
                $0.authorization = .always
                $0.regions = [
                    .with {
                        $0.identifier = "home"
                        $0.circle.radius = 200_000
                        $0.notices = 3
                    }
                ]
            },
            callbacks: self.calls.context
        )
        let manager = CLLocationManager(client: LocationClient(transport: device))
        #expect(manager.monitoredRegions == [self.region])
        #expect(device.declaration?.monitors == [])
        manager.delegate = self.listener
        #expect(device.declaration?.monitors.map(\.isRead) == [true])
    }

    @Test(arguments: [-1.0, 0, .nan, 1e12]) func aRadiusThatIsNoneFails(_ radius: Double) {
        let region = CLCircularRegion(center: self.region.center, radius: radius, identifier: "home")
        self.manager.startMonitoring(for: region)
        self.take()
        if radius <= 0 { self.tell(.unmonitored, diagnostics: 1 << 8) }
        #expect(self.heard().contains("fail home \(CLError.Code.regionMonitoringFailure.rawValue)"))
    }
}
