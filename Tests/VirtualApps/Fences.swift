import CoreLocation
import Foundation

/// An app that monitors circles with the older API, and records what its delegate receives.
@MainActor final class Fences: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var received: [String] = []

    override init() {
        super.init()
        self.manager.delegate = self
    }

    /// The names of the regions that the managers share.
    var monitored: [String] { self.manager.monitoredRegions.map(\.identifier).sorted() }

    /// Asks the person, if they have not decided.
    func ask() { self.manager.requestAlwaysAuthorization() }

    /// Starts a number of regions, far apart.
    func start(_ names: [String]) {
        for (index, name) in names.enumerated() {
            let center = CLLocationCoordinate2D(latitude: 53.5503 + Double(index) / 100, longitude: 9.9922)
            self.manager.startMonitoring(for: CLCircularRegion(center: center, radius: 200, identifier: name))
        }
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        self.received.append("start \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {
        self.received.append("fail \(region?.identifier ?? "") \((error as? CLError)?.code.rawValue ?? -1)")
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        self.received.append("state \(state.rawValue) \(region.identifier)")
    }
}
