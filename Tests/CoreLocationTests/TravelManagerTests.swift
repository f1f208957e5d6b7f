internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// Tests for significant changes and visits of managers, on a device that the test controls.
@Suite struct TravelManagerTests {
    private final class Listener: NSObject, CLLocationManagerDelegate {
        var heard: [String] = []

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            self.heard += locations.map { "at \($0.coordinate.latitude)" }
        }
        func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
            let arrival = visit.arrivalDate == .distantPast ? "?" : "\(Int(visit.arrivalDate.timeIntervalSince1970))"
            let departure =
                visit.departureDate == .distantFuture ? "?" : "\(Int(visit.departureDate.timeIntervalSince1970))"
            self.heard.append(
                "visit \(visit.coordinate.latitude) ±\(visit.horizontalAccuracy) \(arrival) to \(departure)"
            )
        }
        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            self.heard.append("fail \((error as? CLError)?.code.rawValue ?? -1)")
        }
    }

    private let calls = HeldCalls()
    private let listener = Listener()

    private func device(visitsMonitored: Bool = false) -> FakeDevice {
        FakeDevice(
            saying: .with {
                $0.authorization = .always
                $0.visitsMonitored = visitsMonitored
            },
            callbacks: self.calls.context
        )
    }

    private func manager(_ client: LocationClient) -> CLLocationManager {
        let manager = CLLocationManager(client: client)
        manager.delegate = self.listener
        return manager
    }

    private func heard() -> [String] {
        self.calls.run()
        defer { self.listener.heard = [] }
        return self.listener.heard
    }

    private func tell(_ device: FakeDevice, arrival: Int64? = nil, departure: Int64? = nil) {
        let stream = device.streams.last?.id ?? 0
        device.tell(
            .with {
                $0.update.stream = stream
                $0.update.visit = .with {
                    $0.latitude = 500_000_000
                    $0.radius = 100_000
                    if let arrival { $0.arrival = arrival * 1_000_000 }
                    if let departure { $0.departure = departure * 1_000_000 }
                }
            }
        )
    }

    @Test func startAndStopOfSignificantChanges() {
        let device = self.device()
        let manager = self.manager(LocationClient(transport: device))
        #expect(CLLocationManager.significantLocationChangeMonitoringAvailable())
        manager.startMonitoringSignificantLocationChanges()
        manager.startMonitoringSignificantLocationChanges()
        #expect(device.streams.map(\.service) == [.significantChanges(.init())])
        device.give(latitude: 500_000_000, to: device.streams[0].id)
        #expect(self.heard() == ["at 50.0"])
        device.give(diagnostics: 1, to: device.streams[0].id)
        #expect(self.heard() == ["fail \(CLError.Code.denied.rawValue)"])
        let stream = device.streams[0].id
        device.give(latitude: 510_000_000, to: stream)
        manager.stopMonitoringSignificantLocationChanges()
        #expect(self.heard() == [], "the app stopped before its delegate was told")
        #expect(device.streams.isEmpty)
    }

    @Test func aManagerThatIsGoneEndsItsSignificantChanges() {
        let device = self.device()
        let client = LocationClient(transport: device)
        var manager: CLLocationManager? = self.manager(client)
        manager?.startMonitoringSignificantLocationChanges()
        #expect(device.streams.count == 1)
        manager = nil
        #expect(device.streams.isEmpty)
    }

    @Test func everyManagerHearsOfAVisit() {
        let device = self.device()
        let client = LocationClient(transport: device)
        let manager = self.manager(client)
        let (second, other) = (CLLocationManager(client: client), Listener())
        second.delegate = other
        manager.startMonitoringVisits()
        second.startMonitoringVisits()
        #expect(device.streams.map(\.service) == [.visits(.init())])
        self.tell(device)
        #expect(self.heard() == ["visit 50.0 ±100.0 ? to ?"] && other.heard.count == 1)
        self.tell(device, arrival: 100, departure: 200)
        #expect(self.heard() == ["visit 50.0 ±100.0 100 to 200"])
        second.stopMonitoringVisits()
        #expect(device.streams.isEmpty)
    }

    @Test func visitsGoOnOnceADelegateIsThere() {
        let device = self.device(visitsMonitored: true)
        let client = LocationClient(transport: device)
        let manager = CLLocationManager(client: client)
        #expect(device.streams.isEmpty, "nobody could be told")
        manager.delegate = self.listener
        #expect(device.streams.map(\.service) == [.visits(.init())])
        manager.stopMonitoringVisits()
        device.tell { $0.visitsMonitored = true }
        #expect(device.streams.isEmpty, "a word from before the stop begins nothing")
    }

    @Test func aProcessStopsTheVisitsOfOneBeforeIt() {
        let device = self.device(visitsMonitored: true)
        let manager = CLLocationManager(client: LocationClient(transport: device))
        let before = device.declarations
        manager.stopMonitoringVisits()
        // Monitoring was started and stopped.
        #expect(device.declarations == before + 2 && device.streams.isEmpty)
    }
}
