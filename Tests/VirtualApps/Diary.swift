import CoreLocation
import Foundation

/// The model of a diary app: it records its owner's stays, and the towns in between, whether it runs or not.
@MainActor final class Diary: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    /// The visits of this launch.
    private(set) var visits: [CLVisit] = []
    /// The places of this launch.
    private(set) var places: [CLLocation] = []

    /// All arrivals and departures, from all launches.
    var entries: [String] { UserDefaults.standard.stringArray(forKey: "entries") ?? [] }

    override init() {
        super.init()
        self.manager.delegate = self
        // Starting once is enough: visits continue, and a later launch needs only a delegate.
        if !UserDefaults.standard.bool(forKey: "isSetUp") {
            UserDefaults.standard.set(true, forKey: "isSetUp")
            self.manager.requestAlwaysAuthorization()
            self.manager.startMonitoringVisits()
        }
        // Significant changes must be started again at every launch.
        self.manager.startMonitoringSignificantLocationChanges()
    }

    /// Stops the recording.
    func stop() {
        self.manager.stopMonitoringVisits()
        self.manager.stopMonitoringSignificantLocationChanges()
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        self.visits.append(visit)
        let entry = visit.departureDate == .distantFuture ? "arrived" : "departed"
        UserDefaults.standard.set(self.entries + [entry], forKey: "entries")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        self.places += locations
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
