/// Calls the deprecated methods of a delegate, which apps may still implement, without a warning in this module.
struct DeprecatedCalls {
    fileprivate let delegate: any CLLocationManagerDelegate
}

extension CLLocationManagerDelegate {
    var deprecated: any DeprecatedCalling { DeprecatedCalls(delegate: self) }
}

/// A requirement that is not deprecated may be met by a method that is.
protocol DeprecatedCalling {
    func authorizationChanged(_ manager: CLLocationManager)
    func ranged(_ manager: CLLocationManager, _ beacons: [CLBeacon], _ region: CLBeaconRegion)
    func rangingFailed(_ manager: CLLocationManager, _ region: CLBeaconRegion, _ error: any Error)
}

extension DeprecatedCalls: DeprecatedCalling {
    @available(*, deprecated)
    func authorizationChanged(_ manager: CLLocationManager) {
        self.delegate.locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
    }

    @available(*, deprecated)
    func ranged(_ manager: CLLocationManager, _ beacons: [CLBeacon], _ region: CLBeaconRegion) {
        self.delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
    }

    @available(*, deprecated)
    func rangingFailed(_ manager: CLLocationManager, _ region: CLBeaconRegion, _ error: any Error) {
        self.delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
    }
}
