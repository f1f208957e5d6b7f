import CoreLocation

protocol Geocoding {
    func reverseGeocodeLocation(
        _ location: CLLocation,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    )
    func geocodeAddressString(
        _ addressString: String,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    )
}

extension CLGeocoder: Geocoding {}

class StubGeocoder: Geocoding {
    private var waiting: [CLGeocodeCompletionHandler] = []

    func reverseGeocodeLocation(_ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler) {
        waiting.append(completionHandler)
    }

    func geocodeAddressString(_ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler) {
        waiting.append(completionHandler)
    }
}

class GrantingManager: CLLocationManager {
    private var asked: [String] = []

    override func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String,
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        asked.append(purposeKey)
        completion?(nil)
    }

    override func startMonitoringLocationPushes(completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil) {
        completion?(Data([1, 2]), nil)
    }
}

class RecordingGeocoder: CLGeocoder {
    override func reverseGeocodeLocation(
        _ location: CLLocation,
        preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        completionHandler([], nil)
    }
}
