public import Foundation

/// The receiver of a manager's positions and errors.
///
/// Every method may be left out. Code that calls a delegate itself may do so with and without the question mark that
/// optional methods need on Apple's platforms: `delegate?.locationManager?(manager, didUpdateLocations: locations)`.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Tells new positions, the newest last.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// Tells a new heading.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /// Asks whether a calibration may be displayed.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
    /// Tells whether the device is in a region.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    /// Tells that the device came into a region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    /// Tells that the device left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    /// Tells that a region is watched.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
    /// Tells that a region cannot be watched.
    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    )
    /// Tells the beacons in range.
    func locationManager(
        _ manager: CLLocationManager,
        didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    )
    /// Tells that beacons cannot be ranged.
    func locationManager(
        _ manager: CLLocationManager,
        didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    )
    /// Tells that there is no position, or none for this app.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// Tells the authorization: when the manager was created, and whenever it changes.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// Tells that the device is still and updates ended; to have more of them is the app's affair
    /// (``CLLocationManager/startUpdatingLocation()``).
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
    /// Tells that updates go on.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
    /// Tells that updates are not deferred any more.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    /// Tells a stay at a place.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

    /// Tells the authorization; called where ``locationManagerDidChangeAuthorization(_:)`` is left out.
    @available(*, deprecated, message: "Implement locationManagerDidChangeAuthorization(_:).")
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    /// Tells the beacons in range.
    @available(*, deprecated, message: "Implement locationManager(_:didRange:satisfying:).")
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
    /// Tells that beacons cannot be ranged.
    @available(*, deprecated, message: "Implement locationManager(_:didFailRangingFor:error:).")
    func locationManager(
        _ manager: CLLocationManager,
        rangingBeaconsDidFailFor region: CLBeaconRegion,
        withError error: any Error
    )
    /// Would tell a new position and the one before it; never called, as on Apple's devices of this decade.
    @available(*, deprecated, message: "Implement locationManager(_:didUpdateLocations:).")
    func locationManager(
        _ manager: CLLocationManager,
        didUpdateTo newLocation: CLLocation,
        from oldLocation: CLLocation
    )
}

extension CLLocationManagerDelegate {
    /// Does nothing, but reports that ``CLLocationManager/requestLocation()`` needs the method.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        manager.delegateLacks("locationManager(_:didUpdateLocations:)", self)
    }
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
    /// Displays no calibration.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didDetermineState state: CLRegionState,
        for region: CLRegion
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    ) {}
    /// Does nothing, but reports that ``CLLocationManager/requestLocation()`` needs the method.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        manager.delegateLacks("locationManager(_:didFailWithError:)", self)
    }
    /// Calls the older method, which is told the authorization only where this one is left out.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        self.deprecated.authorizationChanged(manager)
    }
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didFinishDeferredUpdatesWithError error: (any Error)?
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didChangeAuthorization status: CLAuthorizationStatus
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didRangeBeacons beacons: [CLBeacon],
        in region: CLBeaconRegion
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        rangingBeaconsDidFailFor region: CLBeaconRegion,
        withError error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager,
        didUpdateTo newLocation: CLLocation,
        from oldLocation: CLLocation
    ) {}
}
