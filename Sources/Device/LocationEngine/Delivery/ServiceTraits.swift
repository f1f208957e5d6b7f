/// The traits that set one kind of service apart from the others: all that the engine decides by, so that no decision names a
/// kind.
///
/// A further kind brings its own value (`docs/how-to-add-a-service.md`).
public struct ServiceTraits: Sendable, Hashable {
    /// The sensor whose measurements its streams are given.
    public var sensor: Sensor
    /// Whether a person decides about it.
    public var needsAuthorization = true
    /// Whether a service session decides about it; the classic services need none (ADR 0009).
    public var needsSession = false
    /// Whether it ends with its first element.
    public var isOnce = false
    /// Whether it may begin while nobody looks at the app.
    public var mayBeginUnseen = false
    /// Whether an app that is authorized for that is served while nobody looks at it.
    public var worksUnseen = false
    /// Whether that takes the background mode of the Info.plist; Apple launches apps for conditions without it.
    public var needsBackgroundMode = true
    /// Whether it keeps the app in use, and running, while nobody looks, and shows the indicator.
    public var keepsInUse = false
    /// Whether the indicator is shown to an app with Always, too.
    public var showsIndicator = false
    /// Whether a claim on it, being carried by one in effect, may begin with it (ADR 0009).
    public var isCarried = false
    /// Whether it outlives the process, and launches the app when there is something for it.
    public var launches = false
    /// Whether an element wakes a process that is stopped.
    public var wakes = false
    /// Whether positions that are 100 m off will not do for it.
    public var needsBest = true
    /// Whether the client asked for reduced positions, even where it may have precise ones.
    public var asksForReduced = false
    /// The rule of stillness that pauses it; nil when still devices are served all the same.
    public var pausing: LiveConfiguration?
    /// Whether a pause ends by itself when the device moves; otherwise the pause ends the stream, and the app begins another
    /// (documented with `locationManagerDidPauseLocationUpdates`).
    public var resumes = true
    /// The finding of the device that it is given, in place of a sensor's measurements as they come.
    var travel: Travel?
    /// The beacons that it is notified of, in place of a sensor's measurements as they come.
    var ranged: BeaconIdentity?
    /// Whether an app that may not know precisely is refused it; Apple turns beacons off then, as a beacon tells the room.
    var needsFullAccuracy = false
    /// Whether a device that does not have its sensor refuses it at once; of another one nothing is known before it is on.
    var needsShownSensor = false
    /// Whether an app that may not know precisely is given the device's approximate place; otherwise, its elements without theirs
    /// (``Update/Element/withoutPlace(_:)``).
    var hasApproximatePlace: Bool
    /// Whether a process that begins it is given the newest finding at once, though one before it was.
    var repeatsItself = false
    /// Whether the app need not take it up again in a new process: it lasts until it is stopped.
    var lastsUntilStopped = false
    /// The way in millimetres before the next element; zero or less: every one.
    public var distanceFilter: Int32 = -1

    /// The turn in 1e-2 degree before the next element; zero or less: every one.
    public var headingFilter: Int32 = -1

    /// Creates the traits of a service that may do nothing out of the ordinary.
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
    /// A service that launches the app for what the device finds in its looks, as Apple's do without the background mode.
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
    /// The traits that set the service apart from the others.
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
            // An app that was launched for a beacon ranges while it runs (documented); ranging itself launches and wakes nobody.
            traits.mayBeginUnseen = true
            traits.worksUnseen = true
            traits.needsBackgroundMode = false
            return traits
        }
    }

    /// Whether a process that takes up the right goes on with the left: it is of the same kind, with any options.
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
