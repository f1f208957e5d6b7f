import CoreLocation
import Foundation

/// A diary's model, written as such apps are: it writes down where its owner stayed, and the towns on the way, whether it runs or
/// not.
@MainActor final class Diary: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    /// The visits of this launch.
    private(set) var visits: [CLVisit] = []
    /// The places of this launch.
    private(set) var places: [CLLocation] = []

    /// All arrivals and departures, over all launches.
    var entries: [String] { UserDefaults.standard.stringArray(forKey: "entries") ?? [] }

    override init() {
        super.init()
        self.manager.delegate = self
        // Once is enough: visits last, and a delegate is all that a later launch needs.
        if !UserDefaults.standard.bool(forKey: "isSetUp") {
            UserDefaults.standard.set(true, forKey: "isSetUp")
            self.manager.requestAlwaysAuthorization()
            self.manager.startMonitoringVisits()
        }
        // Significant changes are begun again at every launch.
        self.manager.startMonitoringSignificantLocationChanges()
    }

    /// Ends what it writes down.
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
