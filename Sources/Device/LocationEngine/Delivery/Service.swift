/// A kind of request for measurements.
public enum Service: Sendable, Hashable {
    /// `CLLocationUpdate.liveUpdates`.
    case live(LiveConfiguration)
    /// `CLLocationManager.startUpdatingLocation`.
    case standard(StandardOptions)
    /// `CLLocationManager.requestLocation`: one position, or one refusal.
    case once(desiredAccuracy: Int32)
    /// `CLLocationManager.startUpdatingHeading`; the turn in 1e-2 degree until the next heading; negative: every
    /// heading.
    case heading(filter: Int32)
    /// `CLLocationManager.startMonitoringSignificantLocationChanges`.
    case significantChanges
    /// `CLLocationManager.startMonitoringVisits`.
    case visits
    /// `CLLocationManager.startRangingBeacons(satisfying:)`.
    case ranging(BeaconIdentity)

    /// The accuracy that requests no more than reduced accuracy (`kCLLocationAccuracyReduced`).
    public static var reduced: Int32 { .max }

    /// The accuracy in millimetres from which a source with low power suffices: a city block
    /// (`kCLLocationAccuracyHundredMeters`).
    static var coarse: Int32 { 100_000 }
}

/// The purpose of live updates, in Apple's order; decides when a still device pauses them (``Policy/stillness(of:)``).
public enum LiveConfiguration: Int, Sendable, Hashable, CaseIterable {
    case `default` = 0
    case automotiveNavigation
    /// Navigation of another vehicle, on land or water.
    case otherNavigation
    /// Sport on foot or bicycle.
    case fitness
    case airborne
}

/// The options of a `CLLocationManager`'s standard updates.
public struct StandardOptions: Sendable, Hashable {
    /// Millimetres; zero or less: the best possible; ``Service/reduced``: no more than reduced accuracy.
    public var desiredAccuracy: Int32
    /// The distance in millimetres until the next update; negative: every update.
    public var distanceFilter: Int32
    /// The purpose of the updates.
    public var activity: LiveConfiguration
    /// `pausesLocationUpdatesAutomatically`.
    public var pausesAutomatically: Bool
    /// `allowsBackgroundLocationUpdates`.
    public var allowsBackground: Bool
    /// `showsBackgroundLocationIndicator`.
    public var showsIndicator: Bool

    /// Creates options with Apple's defaults.
    public init(
        desiredAccuracy: Int32 = -1000,
        distanceFilter: Int32 = -1,
        activity: LiveConfiguration = .default,
        pausesAutomatically: Bool = true,
        allowsBackground: Bool = false,
        showsIndicator: Bool = false
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.activity = activity
        self.pausesAutomatically = pausesAutomatically
        self.allowsBackground = allowsBackground
        self.showsIndicator = showsIndicator
    }
}
