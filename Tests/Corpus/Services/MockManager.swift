import CoreLocation

final class MockManager: CLLocationManager {
    var status: CLAuthorizationStatus = .notDetermined
    var fixed: CLLocation?
    private(set) var isUpdating = false

    override var authorizationStatus: CLAuthorizationStatus { status }
    override var accuracyAuthorization: CLAccuracyAuthorization { .reducedAccuracy }
    override var location: CLLocation? { fixed }
    override var monitoredRegions: Set<CLRegion> { [] }
    override class func locationServicesEnabled() -> Bool { true }
    override class func headingAvailable() -> Bool { false }
    override class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        regionClass == CLCircularRegion.self
    }

    override func requestWhenInUseAuthorization() {
        status = .authorizedWhenInUse
        delegate?.locationManagerDidChangeAuthorization?(self)
    }

    override func startUpdatingLocation() {
        isUpdating = true
        if let fixed { delegate?.locationManager?(self, didUpdateLocations: [fixed]) }
    }

    override func stopUpdatingLocation() { isUpdating = false }

    override func requestLocation() {
        delegate?.locationManager?(self, didFailWithError: CLError(.locationUnknown))
    }
}
