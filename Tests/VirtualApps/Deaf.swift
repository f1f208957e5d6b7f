import CoreLocation
import Foundation

/// An app that requests its location without handling errors.
@MainActor final class Deaf: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()

    override init() {
        super.init()
        self.manager.delegate = self
        self.manager.requestLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
}
