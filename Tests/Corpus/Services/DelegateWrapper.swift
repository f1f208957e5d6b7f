import CoreLocation

protocol LocationServiceDelegate: AnyObject {
    func locationService(_ service: LocationService, didUpdate location: CLLocation)
    func locationService(_ service: LocationService, didFailWith error: any Error)
}

final class LocationService: NSObject {
    private let manager = CLLocationManager()
    weak var delegate: (any LocationServiceDelegate)?

    override init() {
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyNearestTenMeters
        manager.distanceFilter = 10
        manager.activityType = .fitness
        manager.pausesLocationUpdatesAutomatically = true
    }

    func start() {
        switch manager.authorizationStatus {
        case .notDetermined: manager.requestWhenInUseAuthorization()
        case .authorizedAlways, .authorizedWhenInUse: manager.startUpdatingLocation()
        case .denied, .restricted: break
        @unknown default: break
        }
    }

    func stop() { manager.stopUpdatingLocation() }
}

extension LocationService: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let location = locations.last else { return }
        delegate?.locationService(self, didUpdate: location)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if let error = error as? CLError, error.code == .locationUnknown { return }
        delegate?.locationService(self, didFailWith: error)
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { start() }
}
