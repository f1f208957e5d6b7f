public import WhereaboutsConditions

/// Every number that the engine decides by; a device's vendor or a test may change each.
public struct Policy: Sendable, Hashable {
    /// How long an app stays in use after it leaves the foreground.
    ///
    /// Default 5 s (ADR 0009: Apple says "a few seconds").
    public var inUseGrace: Duration = .seconds(5)
    /// How long a launched app has to retake its outstanding sessions.
    ///
    /// Default 5 s (ADR 0009: Apple says "a few seconds").
    public var retakeWindow: Duration = .seconds(5)
    /// The greatest age of a fix that a new stream receives at once.
    ///
    /// Default 2 s (ADR 0009).
    public var freshFixAge: Duration = .seconds(2)
    /// How long the receiver may search before streams receive `locationUnavailable`.
    ///
    /// Default 10 s: a hot start of a GNSS receiver takes less (u-blox M8 data sheet: 1 s hot, 26 s cold); a cold start
    /// is long enough to be reported.
    public var acquisitionPatience: Duration = .seconds(10)
    /// How long the last fix counts as current when no further fix arrives.
    ///
    /// Default 5 s: five missed fixes of a 1 Hz receiver.
    public var fixSilence: Duration = .seconds(5)
    /// How long a fix without an accuracy is held back when the receiver starts, in case one with an accuracy follows.
    ///
    /// Default 3 s: gpsd knows the accuracy from the second or third fix of a receiver on.
    public var accuracyPatience: Duration = .seconds(3)
    /// The accuracy assumed for a receiver that reports none, in millimetres.
    ///
    /// Default 100 m: positions by satellites are seldom worse, and the requester sees that the accuracy is poor.
    public var unknownAccuracy: Int32 = 100_000
    /// How long the receiver stays on after its last use.
    ///
    /// Default 30 s: positions are often requested again soon.
    public var receiverLinger: Duration = .seconds(30)
    /// How long the receiver rests when all streams that need it know that the device is still; then it measures again.
    ///
    /// Default 15 s: with 1 s to wake and 1 s for a hot start, the receiver is on an eighth of the time; a car is noticed within 200 m.
    public var stillRest: Duration = .seconds(15)
    /// How far a receiver's clock may differ from the device's, and how old a fix may arrive.
    ///
    /// Default 5 s: more than any serial line delays a sentence. With a greater difference, the engine determines the
    /// clock's offset, or the fix is late (``ReceiverClock``).
    public var receiverClockTolerance: Duration = .seconds(5)

    /// The numbers of the noise filter for receivers' fixes.
    public var estimates = EstimatePolicy()

    /// The number of pushes in a full budget.
    ///
    /// Default 120 (ADR 0009: capacity plus a day's refill is 360).
    public var pushBudgetCapacity: Int = 120
    /// The time in which the budget regains one push.
    ///
    /// Default 6 min (ADR 0009).
    public var pushBudgetRefill: Duration = .seconds(360)
    /// How many pushes must be refilled before an empty budget opens again.
    ///
    /// Default 10 (ADR 0009).
    public var pushBudgetReopening: Int = 10

    /// The part of the budget that is shared fairly: an app may spend only its own share of it.
    ///
    /// Default 60, half of the budget (ADR 0022).
    public var pushBudgetReserve: Int = 60
    /// How long a push of priority 5 may wait for something else to wake the device.
    ///
    /// Default 10 min (ADR 0022: Android's least window for inexact alarms).
    public var pushDeferral: Duration = .seconds(600)
    /// How long a push without expiration date, which is tried once, may wait on the device.
    ///
    /// Default 60 s (ADR 0022: the time of two extensions, because the push may have to wait for an earlier one).
    public var undatedPushLife: Duration = .seconds(60)
    /// The longest time that a push may wait on the device, even if the gateway names a later date.
    ///
    /// Default 30 days (documented: Apple's push service keeps a notification no longer).
    public var pushLifeMax: Duration = .seconds(30 * 24 * 3600)
    /// The longest payload that an extension receives, in bytes.
    ///
    /// Default 5,120: the most any push service carries (Apple: "Generating a remote notification").
    public var pushPayloadMax: Int = 5120

    /// How long an extension may run.
    ///
    /// Default 30 s (ADR 0009; Apple publishes no number).
    public var extensionAllowance: Duration = .seconds(30)
    /// How long before the end of its time an extension is warned.
    ///
    /// Default 5 s (ADR 0009).
    public var extensionWarning: Duration = .seconds(5)
    /// How long an extension may take to exit after its work is done.
    ///
    /// Default 2 s (ADR 0019: its supervisor needs at most that long to end all processes that the extension left behind).
    public var extensionExit: Duration = .seconds(2)
    /// How often in a row an extension may fail before it is held back.
    ///
    /// Default 3 (ADR 0022: once is bad luck, twice a bad request, three times a loop).
    public var extensionFailuresMax: Int = 3
    /// How long the extension is held back first; twice as long with each further failure.
    ///
    /// Default 60 s (ADR 0022).
    public var extensionBackoff: Duration = .seconds(60)
    /// How long the extension is held back at most.
    ///
    /// Default 1 h (ADR 0022).
    public var extensionBackoffMax: Duration = .seconds(3600)
    /// The number of pushes that may wait for one app's extension; a further one is dropped and noted.
    ///
    /// Default 16: as many requests as a sharing server keeps unfinished for a device, each a push at most.
    public var pushesWaitingMax: Int = 16
    /// How long a registration waits for the gateway before the app receives a failure.
    ///
    /// Default 30 s: enough to reconnect a broken link a few times.
    public var pushRegistrationPatience: Duration = .seconds(30)
    /// Whether pushes may wake an app with Always that never took a service session.
    ///
    /// Default yes (ADR 0009).
    public var pushesWithoutSession: Bool = true
    /// Whether reading live updates, or a monitor's events, counts as a service session for when-in-use, and so requests authorization.
    ///
    /// Default yes, as since iOS 18 (documented: WWDC24, "What's new in location authorization"). Without it, the Info.plist's
    /// key for explicit sessions has no effect.
    public var readingAsks: Bool = true
    /// Whether Always needs a service session while the app is not in use.
    ///
    /// Default yes, as since iOS 18 (documented: WWDC24, "What's new in location authorization").
    public var alwaysNeedsSession: Bool = true

    /// How long an app runs in the background after it received something to handle; then it is suspended.
    ///
    /// Default 10 s (ADR 0009: Apple says "a few seconds" for each delivery; an app has to reach its server in it).
    public var backgroundRuntime: Duration = .seconds(10)
    /// How long an app the device launches may take to connect.
    ///
    /// Default 10 s (ADR 0029: iOS, too, ends an app that takes too long to start).
    public var launchPatience: Duration = .seconds(10)
    /// How long an app that crashed is not launched again; doubles with each crash in a row.
    ///
    /// Default 10 s (ADR 0009).
    public var relaunchPause: Duration = .seconds(10)
    /// The longest pause before a crashed app is launched again.
    ///
    /// Default 1 h (ADR 0009).
    public var relaunchPauseMax: Duration = .seconds(3600)
    /// Whether an app's claims are kept when a person closes the app.
    ///
    /// Default yes (ADR 0009).
    public var closingKeepsClaims: Bool = true
    /// How long a live activity lasts unless it is ended.
    ///
    /// Default 8 h, after which iOS ends a live activity (documented with ActivityKit).
    public var liveActivityMax: Duration = .seconds(8 * 3600)

    /// How long an approximate place is used before a new one is looked up.
    ///
    /// Default 15 min (documented: "only every 15 to 20 minutes").
    public var reducedInterval: Duration = .seconds(900)
    /// The greatest age of an approximate place that a new stream receives.
    ///
    /// Default 20 min (documented in the header of `kCLLocationAccuracyReduced`).
    public var reducedPlaceAge: Duration = .seconds(1200)
    /// The smallest accuracy value that an approximate place reports, in millimetres.
    ///
    /// Default 5 km (documented: "on the order of 5 km"); covers the farthest corner of a cell, 3.6 km away, and 1.4 km more.
    public var reducedRadius: Int32 = 5_000_000

    /// When a device counts as still for general use: 25 m, 5 min (ADR 0009).
    public var stillness = StationaryPause.Rule(radius: 25_000, period: .seconds(300))
    /// When a car counts as still: 50 m, 10 min.
    ///
    /// Documented: paused only when the vehicle does not move for an extended period. Ten minutes outlast traffic lights and jams.
    public var automotiveStillness = StationaryPause.Rule(radius: 50_000, period: .seconds(600))
    /// When another vehicle counts as still: 100 m, 10 min; a boat at anchor swings.
    public var otherNavigationStillness = StationaryPause.Rule(radius: 100_000, period: .seconds(600))
    /// When an exercising person counts as still: 25 m, 5 min.
    public var fitnessStillness = StationaryPause.Rule(radius: 25_000, period: .seconds(300))
    /// When an aircraft counts as still: 200 m, 10 min.
    public var airborneStillness = StationaryPause.Rule(radius: 200_000, period: .seconds(600))

    /// How long fixes must be outside the circle before a still device counts as moving again.
    ///
    /// Default 5 s, six fixes of a 1 Hz receiver (ADR 0043): with random errors, one fix in a hundred is outside, and
    /// reflections last a moment.
    public var departurePatience: Duration = .seconds(5)

    /// When a device counts as still for a configuration of live updates, the only difference between the five configurations.
    public func stillness(of configuration: LiveConfiguration) -> StationaryPause.Rule {
        switch configuration {
        case .default: self.stillness
        case .automotiveNavigation: self.automotiveStillness
        case .otherNavigation: self.otherNavigationStillness
        case .fitness: self.fitnessStillness
        case .airborne: self.airborneStillness
        }
    }

    /// The number of conditions of one type that are watched for one app.
    ///
    /// Default 20 (documented: "Monitoring the user's proximity to geographic regions").
    public var conditionsMax: Int = 20
    /// The number of conditions that are stored for one app, watched or waiting.
    ///
    /// Default 256; a further one is refused. An app that watches the nearest of thousands of places keeps its own list of them.
    public var conditionsKeptMax: Int = 256
    /// The numbers that decide on which side of a boundary the device is.
    public var beliefs = BeliefPolicy()
    /// The numbers that decide when the receiver is switched on for conditions.
    public var looks = LookPolicy()
    /// How long the receiver searches for a position that conditions need, before it rests for ``LookPolicy/latencyMax``.
    ///
    /// Default 60 s: twice the cold start of a GNSS receiver in sight of the sky (u-blox M8 data sheet: 26 s); indoors the
    /// receiver is on a quarter of the time.
    public var lookPatience: Duration = .seconds(60)
    /// The numbers that decide about significant changes and visits.
    public var travel = TravelPolicy()
    /// The numbers for ranging beacons, and for conditions on beacons.
    public var beacons = BeaconPolicy()
    /// The largest radius of a circle that is watched, in millimetres.
    ///
    /// Default 1,000 km: a country. Beyond, an antipode of the circle comes near enough to be confused with it.
    public var conditionRadiusMax: Int32 = 1_000_000_000

    /// The number of sessions, streams, activities and monitors that one client may hold.
    ///
    /// Default 256; a client that declares more is disconnected.
    public var declarationsMax: Int = 256

    /// Creates the default policy.
    public init() {}
}
