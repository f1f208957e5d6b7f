/// Calls a delegate's `locationManager` methods when the app writes them as optional methods, with a question mark.
///
/// ```swift
/// delegate?.locationManager?(manager, didUpdateLocations: locations)
/// ```
public struct CLLocationManagerDelegateCalls {
    fileprivate let delegate: any CLLocationManagerDelegate

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didUpdateLocations:)``.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateLocations first: [CLLocation]) {
        self.delegate.locationManager(manager, didUpdateLocations: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didUpdateHeading:)``.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading first: CLHeading) {
        self.delegate.locationManager(manager, didUpdateHeading: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didDetermineState:for:)``.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didDetermineState first: CLRegionState,
        for second: CLRegion
    ) {
        self.delegate.locationManager(manager, didDetermineState: first, for: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didEnterRegion:)``.
    public func callAsFunction(_ manager: CLLocationManager, didEnterRegion first: CLRegion) {
        self.delegate.locationManager(manager, didEnterRegion: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didExitRegion:)``.
    public func callAsFunction(_ manager: CLLocationManager, didExitRegion first: CLRegion) {
        self.delegate.locationManager(manager, didExitRegion: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didStartMonitoringFor:)``.
    public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor first: CLRegion) {
        self.delegate.locationManager(manager, didStartMonitoringFor: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:monitoringDidFailFor:withError:)``.
    public func callAsFunction(
        _ manager: CLLocationManager,
        monitoringDidFailFor first: CLRegion?,
        withError second: any Error
    ) {
        self.delegate.locationManager(manager, monitoringDidFailFor: first, withError: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didRange:satisfying:)``.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didRange first: [CLBeacon],
        satisfying second: CLBeaconIdentityConstraint
    ) {
        self.delegate.locationManager(manager, didRange: first, satisfying: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didFailRangingFor:error:)``.
    public func callAsFunction(
        _ manager: CLLocationManager,
        didFailRangingFor first: CLBeaconIdentityConstraint,
        error second: any Error
    ) {
        self.delegate.locationManager(manager, didFailRangingFor: first, error: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didFailWithError:)``.
    public func callAsFunction(_ manager: CLLocationManager, didFailWithError first: any Error) {
        self.delegate.locationManager(manager, didFailWithError: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didFinishDeferredUpdatesWithError:)``.
    public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError first: (any Error)?) {
        self.delegate.locationManager(manager, didFinishDeferredUpdatesWithError: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didVisit:)``.
    public func callAsFunction(_ manager: CLLocationManager, didVisit first: CLVisit) {
        self.delegate.locationManager(manager, didVisit: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didChangeAuthorization:)``.
    @available(*, deprecated)
    public func callAsFunction(_ manager: CLLocationManager, didChangeAuthorization first: CLAuthorizationStatus) {
        self.delegate.locationManager(manager, didChangeAuthorization: first)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didRangeBeacons:in:)``.
    @available(*, deprecated)
    public func callAsFunction(
        _ manager: CLLocationManager,
        didRangeBeacons first: [CLBeacon],
        in second: CLBeaconRegion
    ) {
        self.delegate.locationManager(manager, didRangeBeacons: first, in: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:rangingBeaconsDidFailFor:withError:)``.
    @available(*, deprecated)
    public func callAsFunction(
        _ manager: CLLocationManager,
        rangingBeaconsDidFailFor first: CLBeaconRegion,
        withError second: any Error
    ) {
        self.delegate.locationManager(manager, rangingBeaconsDidFailFor: first, withError: second)
    }

    /// Calls ``CLLocationManagerDelegate/locationManager(_:didUpdateTo:from:)``.
    @available(*, deprecated)
    public func callAsFunction(_ manager: CLLocationManager, didUpdateTo first: CLLocation, from second: CLLocation) {
        self.delegate.locationManager(manager, didUpdateTo: first, from: second)
    }
}

extension CLLocationManagerDelegate {
    /// The methods that begin with `locationManager`; never `nil`, since each has an implementation.
    @_disfavoredOverload
    public var locationManager: CLLocationManagerDelegateCalls? { CLLocationManagerDelegateCalls(delegate: self) }

    /// The method ``CLLocationManagerDelegate/locationManagerShouldDisplayHeadingCalibration(_:)``; never `nil`.
    @_disfavoredOverload
    public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
        { self.locationManagerShouldDisplayHeadingCalibration($0) }
    }

    /// The method ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``; never `nil`.
    @_disfavoredOverload
    public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidChangeAuthorization($0) }
    }

    /// The method ``CLLocationManagerDelegate/locationManagerDidPauseLocationUpdates(_:)``; never `nil`.
    @_disfavoredOverload
    public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidPauseLocationUpdates($0) }
    }

    /// The method ``CLLocationManagerDelegate/locationManagerDidResumeLocationUpdates(_:)``; never `nil`.
    @_disfavoredOverload
    public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidResumeLocationUpdates($0) }
    }
}
