import CoreLocation

/// An app written years ago that must still work.
class OldManager: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()

    func setUp() {
        manager.delegate = self
        if CLLocationManager.authorizationStatus() == .authorized { manager.startUpdatingLocation() }
        if CLLocationManager.deferredLocationUpdatesAvailable() {
            manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: CLTimeIntervalMax)
        }
        manager.disallowDeferredLocationUpdates()
        manager.startRangingBeacons(in: CLBeaconRegion(proximityUUID: UUID(), identifier: "old"))
        for case let region as CLBeaconRegion in manager.rangedRegions { manager.stopRangingBeacons(in: region) }
    }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        if status == .authorizedWhenInUse || status == .authorizedAlways { manager.startUpdatingLocation() }
    }

    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
    }

    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
}
