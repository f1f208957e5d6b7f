public import Foundation

/// The methods that you use to receive events from a location manager.
///
/// All methods are optional: a method that you leave out does nothing. A manager that calls
/// ``CLLocationManager/requestLocation()`` needs ``locationManager(_:didUpdateLocations:)`` and
/// ``locationManager(_:didFailWithError:)``. The manager calls its delegate where it was created; see
/// ``CLLocationManager``.
///
/// Code that calls a delegate itself can do so with and without the question mark that optional methods need on
/// Apple's platforms: `delegate?.locationManager?(manager, didUpdateLocations: locations)`.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Tells the delegate that new locations are available.
    ///
    /// - Parameters:
    ///   - manager: the manager that received the locations.
    ///   - locations: the locations, at least one, with the newest at the end.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// Tells the delegate that a new heading is available.
    ///
    /// - Parameters:
    ///   - manager: the manager that received the heading.
    ///   - newHeading: the heading, for the manager's ``CLLocationManager/headingOrientation``.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /// Asks the delegate whether the calibration of the compass may be displayed.
    ///
    /// The manager asks when the compass becomes disturbed. The answer has no effect, since no calibration is
    /// displayed.
    ///
    /// - Parameter manager: the manager that received the heading.
    /// - Returns: whether the calibration may be displayed.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
    /// Tells the delegate whether the device is inside a region.
    ///
    /// The manager calls this method for each crossing, before ``locationManager(_:didEnterRegion:)`` or
    /// ``locationManager(_:didExitRegion:)``, and in response to ``CLLocationManager/requestState(for:)``. It also
    /// calls it if the display is turned on inside a ``CLBeaconRegion`` with
    /// ``CLBeaconRegion/notifyEntryStateOnDisplay``.
    ///
    /// - Parameters:
    ///   - manager: the manager that monitors the region.
    ///   - state: the state of the device with respect to the region.
    ///   - region: the region.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    /// Tells the delegate that the device entered a region.
    ///
    /// All managers' delegates receive this event.
    ///
    /// - Parameters:
    ///   - manager: a manager of the app.
    ///   - region: a copy of the region; compare it by ``CLRegion/identifier``.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    /// Tells the delegate that the device left a region.
    ///
    /// All managers' delegates receive this event.
    ///
    /// - Parameters:
    ///   - manager: a manager of the app.
    ///   - region: a copy of the region; compare it by ``CLRegion/identifier``.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    /// Tells the delegate that the device monitors a region.
    ///
    /// The call follows ``CLLocationManager/startMonitoring(for:)`` once, when nothing prevents the region from being
    /// monitored.
    ///
    /// - Parameters:
    ///   - manager: a manager of the app.
    ///   - region: a copy of the region; compare it by ``CLRegion/identifier``.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
    /// Tells the delegate that a region is not monitored.
    ///
    /// See ``CLLocationManager/startMonitoring(for:)`` for the errors.
    ///
    /// - Parameters:
    ///   - manager: a manager of the app.
    ///   - region: a copy of the region; compare it by ``CLRegion/identifier``.
    ///   - error: a ``CLError``.
    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    )
    /// Tells the delegate which beacons that satisfy a constraint are in range.
    ///
    /// - Parameters:
    ///   - manager: the manager that ranges the beacons.
    ///   - beacons: the beacons, with the nearest at the beginning; empty if none is in range.
    ///   - beaconConstraint: the constraint.
    func locationManager(
        _ manager: CLLocationManager,
        didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    )
    /// Tells the delegate that beacons cannot be ranged.
    ///
    /// See ``CLLocationManager/startRangingBeacons(satisfying:)`` for the errors. The manager keeps trying.
    ///
    /// - Parameters:
    ///   - manager: the manager that ranges the beacons.
    ///   - beaconConstraint: the constraint.
    ///   - error: a ``CLError``.
    func locationManager(
        _ manager: CLLocationManager,
        didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    )
    /// Tells the delegate that the manager could not determine the location or the heading.
    ///
    /// After ``CLError/Code/locationUnknown`` and ``CLError/Code/headingFailure`` the manager keeps trying. After
    /// ``CLError/Code/denied`` events arrive when the person allows access again; stop the service if you do not need
    /// them.
    ///
    /// - Parameters:
    ///   - manager: the manager that could not determine it.
    ///   - error: a ``CLError``.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// Tells the delegate that the app's authorization or its accuracy authorization changed.
    ///
    /// The manager calls this method soon after the delegate is set, and then before any event that follows from a
    /// change. Read ``CLLocationManager/authorizationStatus`` and ``CLLocationManager/accuracyAuthorization``.
    ///
    /// - Parameter manager: the manager whose properties changed.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// Tells the delegate that location updates are paused, since the device stopped moving.
    ///
    /// Call ``CLLocationManager/startUpdatingLocation()`` when you need updates again.
    ///
    /// - Parameter manager: the manager that paused its updates.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
    /// Tells the delegate that location updates continue after a pause.
    ///
    /// - Parameter manager: the manager that delivers updates again.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
    /// Tells the delegate that updates are no longer deferred; never called.
    ///
    /// - Parameters:
    ///   - manager: the manager.
    ///   - error: the reason.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    /// Tells the delegate that the device arrived at a place to stay, or departed from it.
    ///
    /// All managers' delegates receive this event.
    ///
    /// - Parameters:
    ///   - manager: a manager of the app.
    ///   - visit: the visit. Its ``CLVisit/departureDate`` is `Date.distantFuture` while the device is there.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

    /// Tells the delegate that the app's authorization changed.
    ///
    /// The manager calls this method if the delegate lacks ``locationManagerDidChangeAuthorization(_:)``.
    ///
    /// - Parameters:
    ///   - manager: the manager.
    ///   - status: the authorization.
    @available(*, deprecated, message: "Implement locationManagerDidChangeAuthorization(_:).")
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    /// Tells the delegate which beacons of a region are in range.
    ///
    /// - Parameters:
    ///   - manager: the manager that ranges the beacons.
    ///   - beacons: the beacons, with the nearest at the beginning.
    ///   - region: the region.
    @available(*, deprecated, message: "Implement locationManager(_:didRange:satisfying:).")
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
    /// Tells the delegate that the beacons of a region cannot be ranged.
    ///
    /// - Parameters:
    ///   - manager: the manager that ranges the beacons.
    ///   - region: the region.
    ///   - error: a ``CLError``.
    @available(*, deprecated, message: "Implement locationManager(_:didFailRangingFor:error:).")
    func locationManager(
        _ manager: CLLocationManager,
        rangingBeaconsDidFailFor region: CLBeaconRegion,
        withError error: any Error
    )
    /// Tells the delegate the new location and the one before it; never called.
    ///
    /// - Parameters:
    ///   - manager: the manager.
    ///   - newLocation: the new location.
    ///   - oldLocation: the location before it.
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
    /// Returns `false`.
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
    /// Calls the deprecated `locationManager(_:didChangeAuthorization:)`.
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
