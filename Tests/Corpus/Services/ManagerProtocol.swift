import CoreLocation

protocol LocationManaging: AnyObject {
    var delegate: (any CLLocationManagerDelegate)? { get set }
    var authorizationStatus: CLAuthorizationStatus { get }
    var desiredAccuracy: CLLocationAccuracy { get set }
    var allowsBackgroundLocationUpdates: Bool { get set }
    var location: CLLocation? { get }
    func requestAlwaysAuthorization()
    func startUpdatingLocation()
    func stopUpdatingLocation()
    func startMonitoringSignificantLocationChanges()
    static func locationServicesEnabled() -> Bool
}

extension CLLocationManager: LocationManaging {}

final class Tracker {
    private let manager: any LocationManaging

    init(manager: any LocationManaging = CLLocationManager()) {
        self.manager = manager
    }

    func begin() {
        guard type(of: manager).locationServicesEnabled() else { return }
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.allowsBackgroundLocationUpdates = true
        manager.requestAlwaysAuthorization()
        manager.startUpdatingLocation()
    }
}
