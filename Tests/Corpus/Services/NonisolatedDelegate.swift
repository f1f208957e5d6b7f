@preconcurrency import CoreLocation

@MainActor
final class Recorder: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var track: [CLLocation] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        Task { @MainActor in
            self.track.append(contentsOf: locations)
        }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {}

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let status = manager.authorizationStatus
        Task { @MainActor in
            if status == .authorizedAlways { self.manager.startUpdatingLocation() }
        }
    }
}
