public import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// The object that starts and stops the delivery of location events to your app.
///
/// Keep a strong reference to the manager for as long as you need events, and set its ``delegate`` before you start a
/// service.
///
/// The manager calls its delegate where you created it: on the main queue if that was the main thread or the main
/// actor, in the run loop of another thread. In a task or on a dispatch queue there is no run loop, so the delegate
/// is called on a serial queue that belongs to the manager. You can use all members on any thread.
open class CLLocationManager: NSObject {
    private let ownLink: ManagerLink

    /// The link; reading this property also reports a use of the manager to the client.
    private var link: ManagerLink {
        self.ownLink.client.transport.used()
        return self.ownLink
    }

    /// Creates a manager.
    ///
    /// The manager calls ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)`` soon after you set
    /// its ``delegate``.
    public override init() {
        self.ownLink = ManagerLink(client: .current())
        super.init()
        self.ownLink.begin(self)
    }

    init(client: LocationClient) {
        self.ownLink = ManagerLink(client: client)
        super.init()
        self.ownLink.begin(self)
    }

    deinit {
        self.ownLink.end()
    }

    /// Records that the delegate lacks a method, because the protocol's default implementation ran.
    func delegateLacks(_ method: String, _ delegate: any CLLocationManagerDelegate) {
        self.ownLink.delegateLacks(method, delegate)
    }

    /// The object that receives the events.
    ///
    /// The manager holds a weak reference to its delegate. The first delegate receives the authorization soon after you set
    /// it, and later ones only its changes.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { unsafe self.link.delegate.object }
        set { self.link.delegate = ManagerLink.WeakDelegate(object: newValue) }
    }

    // MARK: Abilities of the device

    /// Returns whether location services are enabled on the device.
    ///
    /// The person can switch them off for all apps. The result is `false`, too, while locationd cannot be reached.
    open class func locationServicesEnabled() -> Bool { LocationClient.current().mirror.servicesEnabled }

    /// Returns whether the device reports its heading.
    ///
    /// The result is `true` once gpsd, an NMEA 0183 receiver or a program delivers headings to locationd.
    open class func headingAvailable() -> Bool { LocationClient.current().mirror.hasCompass }

    /// Returns whether the significant-change service is available; always `true`.
    ///
    /// locationd assumes that the device has a receiver. Without a receiver, no location arrives.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Returns whether the device can monitor regions of a class.
    ///
    /// - Parameter regionClass: a subclass of ``CLRegion``.
    /// - Returns: `true` for ``CLCircularRegion``, and for ``CLBeaconRegion`` if the device has a beacon scanner.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        regionClass is CLCircularRegion.Type || (regionClass is CLBeaconRegion.Type && self.isRangingAvailable())
    }

    /// Returns whether the device can range beacons.
    ///
    /// The result is `true` if locationd has a beacon scanner (`locationd --beacon-feed`).
    open class func isRangingAvailable() -> Bool { LocationClient.current().mirror.hasScanner }

    /// Returns `false`: updates are never deferred, as on Apple's devices since iOS 13.
    @available(*, deprecated, message: "Updates are never deferred.")
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Returns whether the device can monitor regions.
    @available(*, deprecated, renamed: "isMonitoringAvailable(for:)")
    open class func regionMonitoringAvailable() -> Bool { true }

    /// Returns whether the person allows the app to use the location.
    @available(*, deprecated, renamed: "isMonitoringAvailable(for:)")
    open class func regionMonitoringEnabled() -> Bool {
        let mirror = LocationClient.current().mirror
        return mirror.authorization == .authorizedAlways || mirror.authorization == .authorizedWhenInUse
    }

    /// A Boolean value that indicates whether the device reports its heading.
    @available(*, deprecated, message: "Use the type method.")
    open var headingAvailable: Bool { type(of: self).headingAvailable() }

    /// A Boolean value that indicates whether location services are enabled on the device.
    @available(*, deprecated, message: "Use the type method.")
    open var locationServicesEnabled: Bool { type(of: self).locationServicesEnabled() }

    // MARK: Authorization

    /// The app's authorization to use the location.
    ///
    /// The delegate receives ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)`` when it changes.
    /// The first use waits up to a second for locationd; the status is `.notDetermined` if locationd does not answer.
    /// It stays as it was while locationd is restarted.
    open var authorizationStatus: CLAuthorizationStatus { self.link.client.mirror.authorization }

    /// Returns the app's authorization to use the location.
    @available(*, deprecated, message: "Use the property of a manager.")
    open class func authorizationStatus() -> CLAuthorizationStatus { LocationClient.current().mirror.authorization }

    /// The accuracy that the person allows.
    ///
    /// Read it together with ``authorizationStatus``. It is `.reducedAccuracy` while the status is `.notDetermined`,
    /// as on Apple's simulator.
    open var accuracyAuthorization: CLAccuracyAuthorization {
        let mirror = self.link.client.mirror
        return mirror.authorization == .notDetermined ? .reducedAccuracy : mirror.accuracy
    }

    /// A Boolean value that indicates whether a widget of the app may receive location updates.
    ///
    /// It is `true` if ``authorizationStatus`` is `.authorizedAlways`.
    open var isAuthorizedForWidgetUpdates: Bool { self.authorizationStatus == .authorizedAlways }

    /// Asks the person for permission to use the location while the app is in use.
    ///
    /// Call this method in the foreground while ``authorizationStatus`` is `.notDetermined`; otherwise it does
    /// nothing. The Info.plist must contain `NSLocationWhenInUseUsageDescription`; without it, no prompt appears. The
    /// method returns at once. The answer arrives in
    /// ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``.
    ///
    /// The prompt offers to allow access while the app is used, once, or not at all. Access that was allowed once
    /// ends when the app is no longer in use, and the status returns to `.notDetermined`.
    open func requestWhenInUseAuthorization() { self.link.client.requestAuthorization(always: false) }

    /// Asks the person for permission to use the location at any time.
    ///
    /// Call this method in the foreground while ``authorizationStatus`` is `.notDetermined` or
    /// `.authorizedWhenInUse`; the person is asked for Always once. The Info.plist must contain
    /// `NSLocationAlwaysAndWhenInUseUsageDescription` and `NSLocationWhenInUseUsageDescription`; without them, no
    /// prompt appears. The method returns at once. The answer arrives in
    /// ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``.
    ///
    /// While the status is `.notDetermined`, the prompt asks for access while the app is in use. If the person allows
    /// it, the status becomes `.authorizedAlways` provisionally: the person is asked to confirm when an event would
    /// be delivered outside of the app's use.
    open func requestAlwaysAuthorization() { self.link.client.requestAuthorization(always: true) }

    /// Asks the person to allow full accuracy temporarily.
    ///
    /// Call this method in the foreground while ``accuracyAuthorization`` is `.reducedAccuracy`. Full accuracy ends
    /// when the app is no longer in use, and with its process.
    ///
    /// - Parameters:
    ///   - purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist, whose text the
    ///     prompt shows.
    ///   - completion: a closure that is called once, where the delegate is called. Its argument is `nil` if the
    ///     person was asked, whatever the answer: read ``accuracyAuthorization``. It is
    ///     ``CLError/Code/promptDeclined`` if no prompt appeared, since the key is missing, full accuracy is allowed
    ///     already, or the app is in the background.
    @preconcurrency
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String,
        completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let callbacks = self.link.callbacks
        self.link.client.ask(Self.fullAccuracyRequest(purposeKey)) { reply in
            callbacks.perform { completion?(Self.error(reply)) }
        }
    }

    /// Asks the person to allow full accuracy temporarily, and waits for the answer.
    ///
    /// - Parameter purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist, whose text
    ///   the prompt shows.
    /// - Throws: ``CLError/Code/promptDeclined`` if no prompt appeared; `CancellationError` if the task is cancelled.
    ///   If the person refuses, the method returns: read ``accuracyAuthorization``.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        self.link.client.transport.awaits("requestTemporaryFullAccuracyAuthorization(withPurposeKey:)", loop: nil)
        let reply = await self.link.client.ask(Self.fullAccuracyRequest(purposeKey))
        if case .cancelled = reply { throw CancellationError() }
        if let error = Self.error(reply) { throw error }
    }

    /// Asks the person to allow full accuracy temporarily.
    ///
    /// The method returns at once. If the person agrees, the delegate receives
    /// ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``.
    ///
    /// - Parameter purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist, whose text
    ///   the prompt shows.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
        self.link.client.ask(Self.fullAccuracyRequest(purposeKey)) { _ in }
    }

    private static func fullAccuracyRequest(
        _ purpose: String
    ) -> @Sendable (UInt64) -> WireClientMessage {
        { request in
            .with {
                $0.fullAccuracyRequest = .with {
                    $0.request = request
                    $0.purpose = purpose
                }
            }
        }
    }

    private static func error(_ reply: LocationClient.Reply) -> CLError? {
        if case .fullAccuracy(isDeclined: false) = reply { return nil }
        return CLError(.promptDeclined)
    }

    // MARK: Settings

    /// The accuracy of the locations that the app needs, in meters.
    ///
    /// The default is ``kCLLocationAccuracyBest``. The value is a hint: locations can be more or less accurate. A
    /// change takes effect at once. With ``kCLLocationAccuracyReduced`` the manager delivers approximate locations
    /// even if full accuracy is allowed.
    open var desiredAccuracy: CLLocationAccuracy {
        get { self.link.settings.desiredAccuracy }
        set { self.link.change { $0.desiredAccuracy = newValue } }
    }

    /// The distance that the device must move before the next update, in meters.
    ///
    /// The default, ``kCLDistanceFilterNone``, delivers all updates.
    open var distanceFilter: CLLocationDistance {
        get { self.link.settings.distanceFilter }
        set { self.link.change { $0.distanceFilter = newValue } }
    }

    /// The kind of activity that the app uses the updates for.
    ///
    /// The device decides by it when to pause updates, if ``pausesLocationUpdatesAutomatically`` is `true`. The
    /// default is ``CLActivityType/other``.
    open var activityType: CLActivityType {
        get { self.link.settings.activityType }
        set { self.link.change { $0.activityType = newValue } }
    }

    /// A Boolean value that indicates whether updates end when the device stops moving.
    ///
    /// The default is `true`. The delegate receives
    /// ``CLLocationManagerDelegate/locationManagerDidPauseLocationUpdates(_:)``. Updates do not begin again by
    /// themselves: call ``startUpdatingLocation()``. If the app is authorized while in use only, a pause in the
    /// background ends its access until it is opened again.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { self.link.settings.pausesAutomatically }
        set { self.link.change { $0.pausesAutomatically = newValue } }
    }

    /// A Boolean value that indicates whether updates continue while the app is in the background.
    ///
    /// The default is `false`. If you set it to `true` and start updates in the foreground, the app keeps running in
    /// the background and the person sees an indicator.
    ///
    /// - Precondition: To set it to `true`, the app's Info.plist must contain `location` in `UIBackgroundModes`.
    ///   Otherwise the app ends, as on Apple's devices.
    open var allowsBackgroundLocationUpdates: Bool {
        get { self.link.settings.allowsBackground }
        set {
            guard !newValue || self.link.client.mirror.mayRunInBackground != false else {
                return self.link.client.transport.refused(
                    """
                    allowsBackgroundLocationUpdates = true needs `location` among the UIBackgroundModes of the app's \
                    Info.plist; add it and install the app again
                    """
                )
            }
            self.link.change { $0.allowsBackground = newValue }
        }
    }

    /// A Boolean value that indicates whether the person sees an indicator while an app with Always authorization
    /// receives updates in the background.
    ///
    /// The default is `false`. For an app that is authorized while in use the indicator always appears.
    open var showsBackgroundLocationIndicator: Bool {
        get { self.link.settings.showsIndicator }
        set { self.link.change { $0.showsIndicator = newValue } }
    }

    /// The reason for which the app needs the location.
    @available(*, deprecated, message: "Set NSLocationWhenInUseUsageDescription in the Info.plist.")
    open var purpose: String? {
        get { self.link.settings.purpose }
        set { self.link.change { $0.purpose = newValue } }
    }

    // MARK: Positions

    /// The most recent location that the app received.
    ///
    /// It is `nil` until a service of any manager delivers a location, and after the authorization changes. Check its
    /// ``CLLocation/timestamp``.
    open var location: CLLocation? { self.link.client.mirror.location }

    /// Starts the delivery of location updates.
    ///
    /// The method returns at once. The first location arrives in
    /// ``CLLocationManagerDelegate/locationManager(_:didUpdateLocations:)`` when the receiver has found one, which
    /// can take some seconds. ``distanceFilter`` and ``desiredAccuracy`` decide about the following ones.
    ///
    /// The delegate receives ``CLError/Code/denied`` in
    /// ``CLLocationManagerDelegate/locationManager(_:didFailWithError:)`` if the app is not authorized, and
    /// ``CLError/Code/locationUnknown`` while the device cannot find its location; keep waiting after that. If the
    /// app is not authorized yet, updates begin when the person allows them. An app that is authorized while in use
    /// must call this method in the foreground.
    ///
    /// Calling the method again has no effect, unless the updates are paused.
    open func startUpdatingLocation() { self.link.start() }

    /// Stops the delivery of location updates.
    ///
    /// The method also cancels ``requestLocation()``.
    open func stopUpdatingLocation() { self.link.stop() }

    /// Requests one location.
    ///
    /// The method returns at once. Within 20 seconds the delegate receives either
    /// ``CLLocationManagerDelegate/locationManager(_:didUpdateLocations:)`` or
    /// ``CLLocationManagerDelegate/locationManager(_:didFailWithError:)``: with ``CLError/Code/denied`` if the app is
    /// not authorized, or ``CLError/Code/locationUnknown`` if no location was found. The delegate must implement both
    /// methods: Apple's devices end the app otherwise; here the mistake is written to standard error, and recorded as
    /// an issue in a test.
    ///
    /// A second call while a request is outstanding has no effect. ``startUpdatingLocation()`` and
    /// ``stopUpdatingLocation()`` cancel the request.
    open func requestLocation() { self.link.request() }

    /// Has no effect: updates are never deferred, as on Apple's devices since iOS 13.
    @available(*, deprecated, message: "Updates are never deferred.")
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {}

    /// Has no effect: updates are never deferred, as on Apple's devices since iOS 13.
    @available(*, deprecated, message: "Updates are never deferred.")
    open func disallowDeferredLocationUpdates() {}

    // MARK: Heading

    /// The change of the heading that leads to the next event, in degrees.
    ///
    /// The default is 1. ``kCLHeadingFilterNone`` delivers all events.
    open var headingFilter: CLLocationDegrees {
        get { self.link.settings.headingFilter }
        set { self.link.change { $0.headingFilter = newValue } }
    }

    /// The edge of the device that headings refer to.
    ///
    /// The default is ``CLDeviceOrientation/portrait``: headings are those of the device's top. `.unknown`, `.faceUp`
    /// and `.faceDown` count as portrait.
    @available(iOS, deprecated: 27.0, message: "Use headingBody.")
    open var headingOrientation: CLDeviceOrientation {
        get { self.link.settings.headingOrientation }
        set { self.link.change { $0.headingOrientation = newValue } }
    }

    /// The most recent heading, or `nil` if none has arrived.
    open var heading: CLHeading? { self.link.heading.map { CLHeading($0) } }

    /// The body whose direction headings describe.
    ///
    /// The manager keeps a strong reference to the body, and does not use it.
    open var headingBody: (any CLBodyIdentifiable)? {
        get { unsafe self.link.headingBody.object }
        set { self.link.headingBody = ManagerLink.HeadingBody(object: newValue) }
    }

    /// Starts the delivery of headings.
    ///
    /// Headings arrive in ``CLLocationManagerDelegate/locationManager(_:didUpdateHeading:)``. They need no
    /// authorization. ``CLHeading/trueHeading`` is valid only while the app receives its location. The delegate
    /// receives ``CLError/Code/headingFailure`` while the device has no heading.
    open func startUpdatingHeading() { self.link.startHeading() }

    /// Stops the delivery of headings.
    open func stopUpdatingHeading() { self.link.stopHeading() }

    /// Has no effect, since no calibration is displayed.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Significant changes and visits

    /// Starts the delivery of significant changes of the location.
    ///
    /// The delegate receives ``CLLocationManagerDelegate/locationManager(_:didUpdateLocations:)`` once at the
    /// beginning, and then when the device has moved by about 500 meters, at most every five minutes. The first
    /// location can be the one that was delivered last: check its ``CLLocation/timestamp``. ``distanceFilter`` and
    /// ``desiredAccuracy`` have no effect.
    ///
    /// An app with Always authorization is launched for a change after it was terminated. It must call this method
    /// again at once to receive the location, and to receive further ones. Calling it again in one process has no
    /// effect.
    open func startMonitoringSignificantLocationChanges() { self.link.startSignificantChanges() }

    /// Stops the delivery of significant changes of the location.
    open func stopMonitoringSignificantLocationChanges() { self.link.significantChanges.stop() }

    /// Starts the delivery of visits.
    ///
    /// The delegates of all managers receive ``CLLocationManagerDelegate/locationManager(_:didVisit:)`` when the
    /// device arrives at a place to stay, and when it departs. Monitoring continues until you stop it, also while the
    /// app does not run.
    ///
    /// An app with Always authorization is launched for a visit. It only needs a manager with a delegate then, and
    /// need not call this method again.
    open func startMonitoringVisits() { self.link.client.visits.start() }

    /// Stops the delivery of visits to all managers.
    open func stopMonitoringVisits() { self.link.client.visits.stop() }

    // MARK: Regions

    /// The largest radius of a region that the device can monitor, in meters.
    ///
    /// The owner of the device can set a smaller limit.
    open var maximumRegionMonitoringDistance: CLLocationDistance { 1_000_000 }

    /// The regions that the app monitors.
    ///
    /// All managers share them, and they survive the app's process. A region is in the set as soon as it was started,
    /// and is removed if the device cannot monitor it. The objects are copies: compare them by ``CLRegion/identifier``.
    open var monitoredRegions: Set<CLRegion> { Set(self.link.client.regions.monitored.map(\.region)) }

    /// Starts monitoring a region.
    ///
    /// The method returns at once. The delegates of all managers receive
    /// ``CLLocationManagerDelegate/locationManager(_:didStartMonitoringFor:)`` when the device monitors the region.
    /// If the person has not decided yet, that is after they allow it. They receive
    /// ``CLLocationManagerDelegate/locationManager(_:monitoringDidFailFor:withError:)`` with:
    ///
    /// - ``CLError/Code/regionMonitoringDenied`` if the person denied access. The region is kept, and monitored once
    ///   they allow it.
    /// - ``CLError/Code/regionMonitoringFailure`` if the device cannot monitor the region, or the app monitors 20
    ///   regions and conditions of this type. The region is not kept.
    /// - ``CLError/Code/regionMonitoringSetupDelayed`` while the device cannot store the region.
    ///
    /// Then the delegates receive the crossings that the region's ``CLRegion/notifyOnEntry`` and
    /// ``CLRegion/notifyOnExit`` ask for. A region that the device is inside of at the beginning is not entered: call
    /// ``requestState(for:)``. Crossings need full accuracy. A region replaces another one with the same identifier.
    /// Monitoring continues until you stop it. An app with Always authorization is launched for a crossing; otherwise
    /// crossings arrive while the app is in use.
    ///
    /// - Parameter region: a ``CLCircularRegion``, or a ``CLBeaconRegion`` on a device with a beacon scanner.
    @available(iOS, deprecated: 100000.0, message: "Use CLMonitor to start or stop monitoring constraint")
    open func startMonitoring(for region: CLRegion) {
        if let fields = RegionFields(region) { return self.link.client.regions.start(fields) }
        // Only two flags of a region can change, and the app is responsible for them.
        nonisolated(unsafe) let region = region
        self.link.put(
            .call { manager, delegate in
                unsafe delegate.locationManager(
                    manager,
                    monitoringDidFailFor: region,
                    withError: CLError(.regionMonitoringFailure)
                )
            }
        )
    }

    /// Starts monitoring a region; the accuracy has no effect.
    @available(*, deprecated, renamed: "startMonitoring(for:)")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        self.startMonitoring(for: region)
    }

    /// Stops monitoring the region with this identifier, for all managers.
    @available(iOS, deprecated: 100000.0, message: "Use CLMonitor to start or stop monitoring constraint")
    open func stopMonitoring(for region: CLRegion) { self.link.client.regions.stop(region.identifier) }

    /// Requests whether the device is inside a region.
    ///
    /// The delegates of all managers receive ``CLLocationManagerDelegate/locationManager(_:didDetermineState:for:)``
    /// as soon as the state is known. If the app does not monitor the region, this manager's delegate receives
    /// ``CLRegionState/unknown``.
    @available(
        iOS,
        deprecated: 100000.0,
        message: "Use CLMonitor to track and query the state for monitored constraints"
    )
    open func requestState(for region: CLRegion) {
        if self.link.client.regions.requestState(of: region.identifier) { return }
        nonisolated(unsafe) let region = region
        self.link.put(.call { unsafe $1.locationManager($0, didDetermineState: .unknown, for: region) })
    }

    // MARK: Beacons

    /// The constraints of the beacons that this manager ranges.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        Set(
            self.link.ranging.ranged.compactMap {
                if case .satisfying(let identity) = $0 { CLBeaconIdentityConstraint(identity) } else { nil }
            }
        )
    }

    /// The regions whose beacons this manager ranges.
    @available(*, deprecated, renamed: "rangedBeaconConstraints")
    open var rangedRegions: Set<CLRegion> {
        Set(
            self.link.ranging.ranged.compactMap {
                if case .inRegion(let identity, let name) = $0 {
                    CLBeaconRegion(identity, identifier: name)
                } else {
                    nil
                }
            }
        )
    }

    /// Starts the delivery of the beacons in range that satisfy a constraint.
    ///
    /// The delegate receives ``CLLocationManagerDelegate/locationManager(_:didRange:satisfying:)`` once a second,
    /// with the nearest beacon first. A beacon that is not received any more stays in the list for ten seconds with
    /// an unknown proximity.
    ///
    /// The delegate receives ``CLLocationManagerDelegate/locationManager(_:didFailRangingFor:error:)`` with
    /// ``CLError/Code/denied`` if the person denied access, and with ``CLError/Code/rangingUnavailable`` if no
    /// scanner listens, location services are off, or only reduced accuracy is allowed. Ranging does not keep an app
    /// running in the background.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        self.link.startRanging(.satisfying(constraint.identity))
    }

    /// Stops the delivery of the beacons in range that satisfy a constraint.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        self.link.ranging.stop(.satisfying(constraint.identity))
    }

    /// Starts the delivery of the beacons in range that belong to a region.
    @available(*, deprecated, renamed: "startRangingBeacons(satisfying:)")
    open func startRangingBeacons(in region: CLBeaconRegion) {
        self.link.startRanging(.inRegion(region.identity, identifier: region.identifier))
    }

    /// Stops the delivery of the beacons in range that belong to a region.
    @available(*, deprecated, renamed: "stopRangingBeacons(satisfying:)")
    open func stopRangingBeacons(in region: CLBeaconRegion) {
        self.link.ranging.stop(.inRegion(region.identity, identifier: region.identifier))
    }

    // MARK: Location pushes

    /// Starts monitoring location pushes, and requests the token that they are sent to.
    ///
    /// The app needs the entitlements `com.apple.developer.location.push` and `aps-environment`, and its bundle a
    /// location push service extension (``CLLocationPushServiceExtension``). Send the token to your server. It can
    /// change: call this method at each launch.
    ///
    /// - Parameter completion: a closure that is called once, on the main queue, with the token or a
    ///   ``CLLocationPushServiceError``.
    @preconcurrency
    open func startMonitoringLocationPushes(completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil) {
        self.link.client.requestPushToken { result in
            guard let completion else { return }
            DispatchQueue.main.async {
                switch result {
                case .success(let token): completion(token, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    /// Starts monitoring location pushes, and returns the token that they are sent to.
    ///
    /// The app needs the entitlements `com.apple.developer.location.push` and `aps-environment`, and its bundle a
    /// location push service extension (``CLLocationPushServiceExtension``). Send the token to your server. It can
    /// change: call this method at each launch.
    ///
    /// - Throws: ``CLLocationPushServiceError`` if there is no token; `CancellationError` if the task is cancelled.
    open func startMonitoringLocationPushes() async throws -> Data {
        self.link.client.transport.awaits("startMonitoringLocationPushes()", loop: nil)
        return try await self.link.client.pushToken()
    }

    /// Stops monitoring location pushes; the token becomes invalid.
    open func stopMonitoringLocationPushes() {
        self.link.client.stopMonitoringPushes()
    }
}
