/// The traits of a kind of service; the engine decides by them alone, so that no decision names a kind.
///
/// A further kind has its own value of this type (`docs/how-to-add-a-service.md`).
public struct ServiceTraits: Sendable, Hashable {
    /// The sensor that measures for the streams of the service.
    public var sensor: Sensor
    /// Whether the service needs a person's authorization.
    public var needsAuthorization = true
    /// Whether the service needs a service session; the classic services do not (ADR 0009).
    public var needsSession = false
    /// Whether the service ends with its first element.
    public var isOnce = false
    /// Whether the service may begin while the app is not visible.
    public var mayBeginUnseen = false
    /// Whether an app with the authorization is served while it is not visible.
    public var worksUnseen = false
    /// Whether ``worksUnseen`` requires the background mode of the Info.plist; Apple launches apps for conditions without it.
    public var needsBackgroundMode = true
    /// Whether the service keeps the app in use and running while it is not visible, and shows the indicator.
    public var keepsInUse = false
    /// Whether an app with Always shows the indicator, too.
    public var showsIndicator = false
    /// Whether a claim on the service may begin because another claim in effect allows it (ADR 0009).
    public var isCarried = false
    /// Whether the service outlives the process, and launches the app when there is something to receive.
    public var launches = false
    /// Whether an element resumes a suspended process.
    public var wakes = false
    /// Whether the service needs positions better than 100 m.
    public var needsBest = true
    /// Whether the client asked for reduced positions, even where it may have precise ones.
    public var asksForReduced = false
    /// The rule of stillness that pauses the service; nil when the service continues while the device is still.
    public var pausing: LiveConfiguration?
    /// Whether a pause ends by itself when the device moves; otherwise the pause ends the stream, and the app begins another
    /// (documented with `locationManagerDidPauseLocationUpdates`).
    public var resumes = true
    /// The kind of finding, significant changes or visits, that the service delivers instead of a sensor's
    /// measurements.
    var travel: Travel?
    /// The beacons that the service delivers instead of a sensor's measurements.
    var ranged: BeaconIdentity?
    /// Whether an app with reduced accuracy is refused; Apple turns beacons off then, because a beacon reveals the
    /// room.
    var needsFullAccuracy = false
    /// Whether a device without the sensor refuses the service at once; otherwise the sensor counts as unknown until it is on.
    var needsShownSensor = false
    /// Whether an app with reduced accuracy receives the device's approximate place; otherwise it receives elements
    /// without a precise place (``Update/Element/withoutPlace(_:)``).
    var hasApproximatePlace: Bool
    /// Whether each process that begins the service receives the newest significant change or visit at once, even if an
    /// earlier process of the app received it.
    var repeatsItself = false
    /// Whether the service continues without a process of the app, until the app stops it.
    var lastsUntilStopped = false
    /// The distance in millimetres until the next element; zero or less: every element.
    public var distanceFilter: Int32 = -1

    /// The turn in 1e-2 degree before the next element; zero or less: every element.
    public var headingFilter: Int32 = -1

    /// Creates the traits of an ordinary service.
    public init(of sensor: Sensor) {
        self.sensor = sensor
        self.hasApproximatePlace = sensor == .receiver
    }
}

extension ServiceTraits {
    /// The conditions of a `CLMonitor`, which are watched rather than streamed (``Monitors``).
    static let conditions: ServiceTraits = {
        var traits = ServiceTraits(of: .receiver)
        traits.needsSession = true
        traits.worksUnseen = true
        traits.needsBackgroundMode = false
        traits.launches = true
        traits.wakes = true
        return traits
    }()

    /// The regions of a `CLLocationManager`, which need no session (ADR 0009).
    static let regions: ServiceTraits = {
        var traits = Self.conditions
        traits.needsSession = false
        return traits
    }()
}

extension ServiceTraits {
    /// A service that launches the app for significant changes or visits, as Apple's do without the background mode.
    fileprivate static func ofTravel(_ travel: Travel) -> ServiceTraits {
        var traits = ServiceTraits(of: .receiver)
        traits.travel = travel
        traits.mayBeginUnseen = true
        traits.worksUnseen = true
        traits.needsBackgroundMode = false
        traits.launches = true
        traits.wakes = true
        return traits
    }
}

extension Service {
    /// The traits of the service.
    public var traits: ServiceTraits {
        switch self {
        case .live(let configuration):
            var traits = ServiceTraits(of: .receiver)
            traits.needsSession = true
            traits.mayBeginUnseen = true
            traits.worksUnseen = true
            traits.isCarried = true
            traits.launches = true
            traits.wakes = true
            traits.pausing = configuration
            return traits
        case .standard(let options):
            var traits = ServiceTraits(of: .receiver)
            traits.worksUnseen = options.allowsBackground
            traits.keepsInUse = options.allowsBackground
            traits.showsIndicator = options.showsIndicator
            traits.wakes = true
            traits.asksForReduced = options.desiredAccuracy == Self.reduced
            traits.needsBest = options.desiredAccuracy < Self.coarse
            traits.pausing = options.pausesAutomatically ? options.activity : nil
            traits.resumes = false
            traits.distanceFilter = options.distanceFilter
            return traits
        case .once(let accuracy):
            var traits = ServiceTraits(of: .receiver)
            traits.isOnce = true
            traits.mayBeginUnseen = true
            traits.isCarried = true
            traits.wakes = true
            traits.asksForReduced = accuracy == Self.reduced
            traits.needsBest = accuracy < Self.coarse
            return traits
        case .heading(let filter):
            var traits = ServiceTraits(of: .compass)
            traits.needsAuthorization = false
            traits.mayBeginUnseen = true
            traits.headingFilter = filter
            return traits
        case .significantChanges:
            var traits = ServiceTraits.ofTravel(.changes)
            traits.repeatsItself = true
            return traits
        case .visits:
            var traits = ServiceTraits.ofTravel(.visits)
            traits.hasApproximatePlace = false
            traits.lastsUntilStopped = true
            return traits
        case .ranging(let identity):
            var traits = ServiceTraits(of: .scanner)
            traits.ranged = identity
            traits.needsFullAccuracy = true
            traits.needsShownSensor = true
            // An app that was launched for a beacon may range while it runs (documented); ranging itself launches and
            // wakes no app.
            traits.mayBeginUnseen = true
            traits.worksUnseen = true
            traits.needsBackgroundMode = false
            return traits
        }
    }

    /// Whether this service continues a service that an earlier process left: one of the same kind, with any options.
    func continues(_ other: Service) -> Bool {
        switch (self, other) {
        case (.live, .live), (.standard, .standard), (.once, .once), (.heading, .heading),
            (.significantChanges, .significantChanges), (.visits, .visits):
            true
        case (.ranging(let own), .ranging(let left)): own == left
        case (.live, _), (.standard, _), (.once, _), (.heading, _), (.significantChanges, _), (.visits, _),
            (.ranging, _):
            false
        }
    }
}
