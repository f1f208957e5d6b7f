/// Calls a delegate's deprecated methods, which apps may still implement, without compiler warnings in this module.
struct DeprecatedCalls {
    fileprivate let delegate: any CLLocationManagerDelegate
}

extension CLLocationManagerDelegate {
    var deprecated: any DeprecatedCalling { DeprecatedCalls(delegate: self) }
}

/// A deprecated method may satisfy a requirement that is not deprecated.
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
