public import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// The object that starts and stops the delivery of location events to your app.
///
/// Keep a strong reference to the manager for as long as you need events, and set ``delegate`` before you start a service.
///
/// The delegate is called where the manager was created: on the main queue for the main thread, in the run loop of
/// another thread. Every member may be used on any thread.
open class CLLocationManager: NSObject {
    private let ownLink: ManagerLink

    /// Asked for with every call, also with those that change nothing.
    private var link: ManagerLink {
        self.ownLink.client.transport.used()
        return self.ownLink
    }

    /// Creates a manager.
    ///
    /// The manager calls ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)`` soon after you set its
    /// ``delegate``.
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

    /// Records that the protocol's own implementation of a method ran, since the delegate has none.
    func delegateLacks(_ method: String, _ delegate: any CLLocationManagerDelegate) {
        self.ownLink.delegateLacks(method, delegate)
    }

    /// The object that receives the events; the manager holds a weak reference to it.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { unsafe self.link.delegate.object }
        set { self.link.delegate = ManagerLink.WeakDelegate(object: newValue) }
    }

    // MARK: Abilities of the device

    /// Whether location services are switched on; false, too, while locationd cannot be reached.
    open class func locationServicesEnabled() -> Bool { LocationClient.current().mirror.servicesEnabled }

    /// A Boolean value that indicates whether the device reports its heading.
    ///
    /// It is `true` once gpsd, an NMEA 0183 receiver or a program delivers headings to locationd.
    open class func headingAvailable() -> Bool { LocationClient.current().mirror.hasCompass }

    /// Whether significant changes are watched: wherever there is a receiver, which locationd takes for granted.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Whether regions of a class are watched: circles, and beacons where the device has a scanner.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        regionClass is CLCircularRegion.Type || (regionClass is CLBeaconRegion.Type && self.isRangingAvailable())
    }

    /// Whether beacons are ranged: where locationd has a feed of what a scanner hears.
    open class func isRangingAvailable() -> Bool { LocationClient.current().mirror.hasScanner }

    /// Whether updates can be deferred; never, as on Apple's devices.
    @available(*, deprecated, message: "Updates are never deferred.")
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Whether regions are watched.
    @available(*, deprecated, renamed: "isMonitoringAvailable(for:)")
    open class func regionMonitoringAvailable() -> Bool { true }

    /// Whether regions are watched and the person allows it.
    @available(*, deprecated, renamed: "isMonitoringAvailable(for:)")
    open class func regionMonitoringEnabled() -> Bool {
        let mirror = LocationClient.current().mirror
        return mirror.authorization == .authorizedAlways || mirror.authorization == .authorizedWhenInUse
    }

    /// Whether the device has a compass.
    @available(*, deprecated, message: "Use the type method.")
    open var headingAvailable: Bool { type(of: self).headingAvailable() }

    /// Whether location services are switched on.
    @available(*, deprecated, message: "Use the type method.")
    open var locationServicesEnabled: Bool { type(of: self).locationServicesEnabled() }

    // MARK: Authorization

    /// The person's decision about this app.
    open var authorizationStatus: CLAuthorizationStatus { self.link.client.mirror.authorization }

    /// The person's decision about this app.
    @available(*, deprecated, message: "Use the property of a manager.")
    open class func authorizationStatus() -> CLAuthorizationStatus { LocationClient.current().mirror.authorization }

    /// How exactly the app may know where the device is; reduced while nothing is determined, as Apple's simulator has it.
    open var accuracyAuthorization: CLAccuracyAuthorization {
        let mirror = self.link.client.mirror
        return mirror.authorization == .notDetermined ? .reducedAccuracy : mirror.accuracy
    }

    /// Whether a widget of the app would be served: when the app is served at any time.
    open var isAuthorizedForWidgetUpdates: Bool { self.authorizationStatus == .authorizedAlways }

    /// Asks the person for permission to use the location while the app is in use.
    ///
    /// Call it in the foreground while ``authorizationStatus`` is `.notDetermined`; otherwise it does nothing. The
    /// Info.plist must contain `NSLocationWhenInUseUsageDescription`; without it nobody is asked. The answer arrives in
    /// ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``.
    open func requestWhenInUseAuthorization() { self.link.client.requestAuthorization(always: false) }

    /// Asks the person for permission to use the location at any time.
    ///
    /// Call it in the foreground while ``authorizationStatus`` is `.notDetermined` or `.authorizedWhenInUse`. The Info.plist
    /// must contain `NSLocationAlwaysAndWhenInUseUsageDescription`; without it nobody is asked. The answer arrives in
    /// ``CLLocationManagerDelegate/locationManagerDidChangeAuthorization(_:)``.
    open func requestAlwaysAuthorization() { self.link.client.requestAuthorization(always: true) }

    /// Asks the person for full accuracy for a while.
    ///
    /// - Parameters:
    ///   - purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist.
    ///   - completion: called once, where the delegate is called: with nil when the person was asked, whatever they
    ///     said; with `CLError.promptDeclined` when nobody was.
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

    /// Asks the person for full accuracy for a while, and waits until they were asked.
    ///
    /// - Parameter purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist.
    /// - Throws: `CLError.promptDeclined` when nobody was asked; `CancellationError`.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        let reply = await self.link.client.ask(Self.fullAccuracyRequest(purposeKey))
        if case .cancelled = reply { throw CancellationError() }
        if let error = Self.error(reply) { throw error }
    }

    /// Asks the person for full accuracy for a while.
    ///
    /// - Parameter purposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist.
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

    /// How exact positions should be, in metres; a hint.
    open var desiredAccuracy: CLLocationAccuracy {
        get { self.link.settings.desiredAccuracy }
        set { self.link.change { $0.desiredAccuracy = newValue } }
    }

    /// How far the device moves before the next update, in metres.
    open var distanceFilter: CLLocationDistance {
        get { self.link.settings.distanceFilter }
        set { self.link.change { $0.distanceFilter = newValue } }
    }

    /// The use of the updates; decides when a still device pauses them.
    open var activityType: CLActivityType {
        get { self.link.settings.activityType }
        set { self.link.change { $0.activityType = newValue } }
    }

    /// Whether updates end when the device is still, until the app begins them anew; the delegate is told
    /// (``CLLocationManagerDelegate/locationManagerDidPauseLocationUpdates(_:)``).
    open var pausesLocationUpdatesAutomatically: Bool {
        get { self.link.settings.pausesAutomatically }
        set { self.link.change { $0.pausesAutomatically = newValue } }
    }

    /// Whether updates go on while nobody looks at the app.
    ///
    /// - Precondition: the app's Info.plist has `location` among its `UIBackgroundModes`, to set it to true.
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

    /// Whether an app that is always authorized shows that it is served in the background.
    open var showsBackgroundLocationIndicator: Bool {
        get { self.link.settings.showsIndicator }
        set { self.link.change { $0.showsIndicator = newValue } }
    }

    /// The app's reason to need positions, in the older way.
    @available(*, deprecated, message: "Set NSLocationWhenInUseUsageDescription in the Info.plist.")
    open var purpose: String? {
        get { self.link.settings.purpose }
        set { self.link.change { $0.purpose = newValue } }
    }

    // MARK: Positions

    /// The newest position this process was given; nil after a change of the authorization.
    open var location: CLLocation? { self.link.client.mirror.location }

    /// Begins to tell the delegate positions; again does nothing, but after a pause.
    open func startUpdatingLocation() { self.link.start() }

    /// Stops what ``startUpdatingLocation()`` began, and takes ``requestLocation()`` back.
    open func stopUpdatingLocation() { self.link.stop() }

    /// Asks for one position; the delegate gets it, or an error, within 20 seconds.
    open func requestLocation() { self.link.request() }

    /// Would defer updates; has no effect, as on Apple's devices.
    @available(*, deprecated, message: "Updates are never deferred.")
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {}

    /// Would end deferring; has no effect, as on Apple's devices.
    @available(*, deprecated, message: "Updates are never deferred.")
    open func disallowDeferredLocationUpdates() {}

    // MARK: Heading

    /// How far the device turns before the next heading, in degrees.
    open var headingFilter: CLLocationDegrees {
        get { self.link.settings.headingFilter }
        set { self.link.change { $0.headingFilter = newValue } }
    }

    /// The edge of the device that counts as its top.
    @available(iOS, deprecated: 27.0, message: "Use headingBody.")
    open var headingOrientation: CLDeviceOrientation {
        get { self.link.settings.headingOrientation }
        set { self.link.change { $0.headingOrientation = newValue } }
    }

    /// The newest heading; nil before there was one.
    open var heading: CLHeading? { self.link.heading.map { CLHeading($0) } }

    /// The body the heading is of.
    open var headingBody: (any CLBodyIdentifiable)? {
        get { unsafe self.link.headingBody.object }
        set { self.link.headingBody = ManagerLink.HeadingBody(object: newValue) }
    }

    /// Begins to tell headings; needs no authorization, but ``CLHeading/trueHeading`` is told only beside positions.
    ///
    /// The delegate is told `CLError.headingFailure` while the compass does not know.
    open func startUpdatingHeading() { self.link.startHeading() }

    /// Ends telling headings.
    open func stopUpdatingHeading() { self.link.stopHeading() }

    /// Does nothing: no calibration is ever displayed.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Significant changes and visits

    /// Begins to tell the delegate when the device has moved by some 500 m, at most every five minutes, and once at the
    /// beginning; again does nothing.
    ///
    /// The first position may be an old one: where that was told last. An app that may be served at any time is launched for a
    /// change, and has to begin again at once, or is told no more. ``distanceFilter`` and ``desiredAccuracy`` mean nothing here.
    open func startMonitoringSignificantLocationChanges() { self.link.startSignificantChanges() }

    /// Stops what ``startMonitoringSignificantLocationChanges()`` began.
    open func stopMonitoringSignificantLocationChanges() { self.link.significantChanges.stop() }

    /// Begins to tell the delegates of all managers when the device arrives somewhere to stay, and when it departs, until it is
    /// stopped: also when the app does not run.
    ///
    /// An app that may be served at any time is launched for a visit; a manager with a delegate is all it needs then.
    open func startMonitoringVisits() { self.link.client.startVisits() }

    /// Stops what ``startMonitoringVisits()`` began, for all managers.
    open func stopMonitoringVisits() { self.link.client.stopVisits() }

    // MARK: Regions

    /// The largest radius of a region that is watched, in metres; the device's owner may have chosen a smaller one.
    open var maximumRegionMonitoringDistance: CLLocationDistance { 1_000_000 }

    /// The regions that are watched for the app, whichever manager began; one that was just begun is among them.
    open var monitoredRegions: Set<CLRegion> { Set(self.link.client.monitoredRegions.map(\.region)) }

    /// Watches a region, in place of one that has its identifier, until it is stopped: also when the app does not run.
    ///
    /// The delegates of all managers are told of it: that it began, that the device came in or went out, and errors:
    /// `CLError.regionMonitoringFailure` of a region that cannot be watched, or is beyond the 20 of an app;
    /// `CLError.regionMonitoringDenied` while the app may not know.
    ///
    /// - Parameter region: a ``CLCircularRegion``, or a ``CLBeaconRegion`` on a device with a scanner; of others the delegate is
    ///   told that they cannot be watched.
    open func startMonitoring(for region: CLRegion) {
        if let fields = RegionFields(region) { return self.link.client.startRegion(fields) }
        // Regions do not change but for two flags, which are the app's own.
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

    /// Watches a region.
    @available(*, deprecated, renamed: "startMonitoring(for:)")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        self.startMonitoring(for: region)
    }

    /// Watches the region of this identifier no more.
    open func stopMonitoring(for region: CLRegion) { self.link.client.stopRegion(region.identifier) }

    /// Tells the delegate whether the device is in a region, as soon as it is known; of one that is not watched, that it is not
    /// known.
    open func requestState(for region: CLRegion) {
        if self.link.client.requestState(ofRegion: region.identifier) { return }
        nonisolated(unsafe) let region = region
        self.link.put(.call { unsafe $1.locationManager($0, didDetermineState: .unknown, for: region) })
    }

    // MARK: Beacons

    /// The beacons that this manager ranges.
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

    /// Begins to tell the delegate once a second which of these beacons are in range, the nearest first.
    ///
    /// A beacon that is not received any more is told for ten seconds with an unknown proximity. The delegate is told
    /// `CLError.rangingUnavailable` where no scanner listens, and `CLError.denied` while the app may not know.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        self.link.startRanging(.satisfying(constraint.identity))
    }

    /// Ends telling which of these beacons are in range.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        self.link.ranging.stop(.satisfying(constraint.identity))
    }

    /// Begins to tell the delegate once a second which beacons of a region are in range.
    @available(*, deprecated, renamed: "startRangingBeacons(satisfying:)")
    open func startRangingBeacons(in region: CLBeaconRegion) {
        self.link.startRanging(.inRegion(region.identity, identifier: region.identifier))
    }

    /// Ends telling which beacons of a region are in range.
    @available(*, deprecated, renamed: "stopRangingBeacons(satisfying:)")
    open func stopRangingBeacons(in region: CLBeaconRegion) {
        self.link.ranging.stop(.inRegion(region.identity, identifier: region.identifier))
    }

    // MARK: Location pushes

    /// Asks for the token the app's server sends location pushes to.
    ///
    /// - Parameter completion: called once, on the main queue, with the token or a ``CLLocationPushServiceError``.
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

    /// Asks for the token the app's server sends location pushes to.
    ///
    /// - Throws: ``CLLocationPushServiceError``; `CancellationError`.
    open func startMonitoringLocationPushes() async throws -> Data {
        try await self.link.client.pushToken()
    }

    /// Gives the token back; pushes to it are refused from now on.
    open func stopMonitoringLocationPushes() {
        self.link.client.stopMonitoringPushes()
    }
}
