import CoreLocation
import Foundation

/// An app that asks for its location and forgot what may go wrong.
@MainActor final class Deaf: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()

    override init() {
        super.init()
        self.manager.delegate = self
        self.manager.requestLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
}
