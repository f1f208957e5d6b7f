/// An oddity of location updates that was observed on real devices, and that apps have to cope with.
///
/// Each was reported for Apple's devices, most of them for conditions (`CLMonitor`); the first five apply
/// here to live updates and managers, the last one to ranged beacons. For availability that flickers, see ``World/flicker(every:)``.
public enum Quirk: Sendable, Hashable, Codable, CaseIterable {
    /// A launch begins with the last position that the app received, with its old date; the present one follows 3 s
    /// later.
    ///
    /// Observed of conditions after a cold relaunch: what was stored is replayed unevaluated, the evaluation follows about 3 s
    /// later (customerio/customerio-ios#1220).
    case replaysLastPlace
    /// Every position comes three times, with the same date.
    ///
    /// Observed of conditions: the same crossing came two to three times (customerio/customerio-ios#1258, #1269).
    case repeatsUpdates
    /// The first position of every stream comes later, by this time.
    ///
    /// Observed of conditions: 66 minutes without a crossing after a relaunch (customerio/customerio-ios#1274).
    case delaysFirstPosition(by: Duration)
    /// Every stream receives `locationUnavailable` right before its first position.
    ///
    /// Observed on iOS 18.1: `locationUnavailable` between good updates, without a reason.
    case beginsUnavailable
    /// Loops over live updates in one process share the positions: each position goes to one of them, in turn.
    ///
    /// Observed of conditions: a second iterator of one sequence of events receives a share of the events.
    case splitsUpdates
    /// The first position of every stream has a negative accuracy, which means that it is invalid.
    ///
    /// Documented for `CLLocation.horizontalAccuracy`; public extensions treat such a position as perfect.
    case beginsInvalid
    /// A condition that is added under an identifier in use is ignored; the previous one stays.
    ///
    /// Measured on devices (customerio/customerio-ios); Apple documents that it is replaced, as it is here without this quirk (ADR 0046).
    case ignoresConditionsAddedAgain
    /// An app that opens a monitor under the name of another open monitor is ended.
    ///
    /// Observed as an uncaught exception, "Monitor named … is already in use", also right after the first was released.
    case endsAppAtSecondMonitor
    /// A second loop over one monitor's events ends at once.
    ///
    /// Observed on iOS 18.1, after the first loop was cancelled.
    case endsSecondLoop
    /// A condition beyond the limit that is watched later starts with its present state as known: a crossing in the
    /// meantime is lost.
    ///
    /// Observed of conditions that were `.unmonitored` (customerio/customerio-ios#1193).
    case losesCrossingsBeyondLimit
    /// Every fifth report of the beacons in range says that none of them is received, although they are.
    ///
    /// Observed since iOS 7: beacons that stay where they are get lost "for brief instances"; how often was not counted.
    case losesBeaconsBriefly

    /// Each quirk once, for `@Test(arguments: Quirk.allCases)`; a first position comes with the observed delay.
    public static var allCases: [Quirk] {
        [
            .replaysLastPlace, .repeatsUpdates, .delaysFirstPosition(by: .seconds(3960)), .beginsUnavailable,
            .beginsInvalid,
            .splitsUpdates, .ignoresConditionsAddedAgain, .endsAppAtSecondMonitor, .endsSecondLoop,
            .losesCrossingsBeyondLimit, .losesBeaconsBriefly,
        ]
    }
}
