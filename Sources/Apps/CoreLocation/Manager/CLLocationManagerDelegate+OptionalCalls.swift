/// The methods of a delegate that begin with `locationManager`, called with a question mark as Apple's optional ones.
///
/// ```swift
/// delegate?.locationManager?(manager, didUpdateLocations: locations)
/// ```
public struct CLLocationManagerDelegateCalls {
    fileprivate let delegate: any CLLocationManagerDelegate

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateLocations first: [CLLocation]) {
        self.delegate.locationManager(manager, didUpdateLocations: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading first: CLHeading) {
        self.delegate.locationManager(manager, didUpdateHeading: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didDetermineState first: CLRegionState,
        for second: CLRegion
    ) {
        self.delegate.locationManager(manager, didDetermineState: first, for: second)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didEnterRegion first: CLRegion) {
        self.delegate.locationManager(manager, didEnterRegion: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didExitRegion first: CLRegion) {
        self.delegate.locationManager(manager, didExitRegion: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor first: CLRegion) {
        self.delegate.locationManager(manager, didStartMonitoringFor: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(
        _ manager: CLLocationManager,
        monitoringDidFailFor first: CLRegion?,
        withError second: any Error
    ) {
        self.delegate.locationManager(manager, monitoringDidFailFor: first, withError: second)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didRange first: [CLBeacon],
        satisfying second: CLBeaconIdentityConstraint
    ) {
        self.delegate.locationManager(manager, didRange: first, satisfying: second)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didFailRangingFor first: CLBeaconIdentityConstraint,
        error second: any Error
    ) {
        self.delegate.locationManager(manager, didFailRangingFor: first, error: second)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didFailWithError first: any Error) {
        self.delegate.locationManager(manager, didFailWithError: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError first: (any Error)?) {
        self.delegate.locationManager(manager, didFinishDeferredUpdatesWithError: first)
    }

    /// Calls the method of the same labels.
    public func callAsFunction(_ manager: CLLocationManager, didVisit first: CLVisit) {
        self.delegate.locationManager(manager, didVisit: first)
    }

    /// Calls the method of the same labels.
    @available(*, deprecated)
    public func callAsFunction(_ manager: CLLocationManager, didChangeAuthorization first: CLAuthorizationStatus) {
        self.delegate.locationManager(manager, didChangeAuthorization: first)
    }

    /// Calls the method of the same labels.
    @available(*, deprecated)
    public func callAsFunction(
        _ manager: CLLocationManager,
        didRangeBeacons first: [CLBeacon],
        in second: CLBeaconRegion
    ) {
        self.delegate.locationManager(manager, didRangeBeacons: first, in: second)
    }

    /// Calls the method of the same labels.
    @available(*, deprecated)
    public func callAsFunction(
        _ manager: CLLocationManager,
        rangingBeaconsDidFailFor first: CLBeaconRegion,
        withError second: any Error
    ) {
        self.delegate.locationManager(manager, rangingBeaconsDidFailFor: first, withError: second)
    }

    /// Calls the method of the same labels.
    @available(*, deprecated)
    public func callAsFunction(_ manager: CLLocationManager, didUpdateTo first: CLLocation, from second: CLLocation) {
        self.delegate.locationManager(manager, didUpdateTo: first, from: second)
    }
}

extension CLLocationManagerDelegate {
    /// The methods that begin with `locationManager`; there is always one, if only the default.
    @_disfavoredOverload
    public var locationManager: CLLocationManagerDelegateCalls? { CLLocationManagerDelegateCalls(delegate: self) }

    /// The method of that name.
    @_disfavoredOverload
    public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
        { self.locationManagerShouldDisplayHeadingCalibration($0) }
    }

    /// The method of that name.
    @_disfavoredOverload
    public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidChangeAuthorization($0) }
    }

    /// The method of that name.
    @_disfavoredOverload
    public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidPauseLocationUpdates($0) }
    }

    /// The method of that name.
    @_disfavoredOverload
    public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidResumeLocationUpdates($0) }
    }
}
