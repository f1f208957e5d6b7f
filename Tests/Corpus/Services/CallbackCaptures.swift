import CoreLocation

// Swift 6 reports the captures as warnings only, because Apple's methods are imported from Objective-C.
final class AddressModel {
    private let geocoder = CLGeocoder()
    private let manager = CLLocationManager()
    private var street: String?
    private var token: Data?
    private var isPrecise = false

    func findStreet(of location: CLLocation) {
        geocoder.reverseGeocodeLocation(location) { placemarks, _ in
            self.street = placemarks?.first?.thoroughfare
        }
    }

    func find(_ address: String, completion: @escaping (CLLocationCoordinate2D?) -> Void) {
        geocoder.geocodeAddressString(address) { placemarks, _ in
            completion(placemarks?.first?.location?.coordinate)
        }
    }

    func register() {
        manager.startMonitoringLocationPushes { token, _ in self.token = token }
    }

    func askForPrecision() {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Navigation") { error in
            self.isPrecise = error == nil
        }
    }
}
