/// The facts outside an app that decide about it: the owner's rules, the person's switch for all apps, and the device's state.
struct Terms: Sendable, Hashable {
    /// The owner's rule for the app.
    var rule: Management.Rule
    /// Whether location services are on.
    var areServicesOn: Bool
    /// Whether pushes may wake an app with Always that has never created a session.
    var pushesWithoutSession: Bool
    /// Whether reading updates or events asks for authorization.
    var readingAsks: Bool
    /// Whether Always needs a session while the app is not in use.
    var alwaysNeedsSession: Bool

    /// Whether the device's disk accepts decisions.
    var isStorageAvailable: Bool

    /// Whether each sensor is known, or assumed, to exist.
    var sensors: PerSensor<Bool>

    /// Whether people may be asked about the app at all.
    var mayAsk: Bool { self.areServicesOn && self.rule.restriction == .none }
}

extension Engine {
    /// Whether location services are on, by the owner's rule, otherwise by the person's switch.
    public var areServicesOn: Bool { self.management.locationServices ?? self.servicesOn }

    /// Whether the owner's rules, and not the person, switch location services.
    public var areServicesManaged: Bool { self.management.locationServices != nil }

    func terms(of bundle: BundleID) -> Terms {
        Terms(
            rule: self.management.rule(for: bundle),
            areServicesOn: self.areServicesOn,
            pushesWithoutSession: self.policy.pushesWithoutSession,
            readingAsks: self.policy.readingAsks,
            alwaysNeedsSession: self.policy.alwaysNeedsSession,
            isStorageAvailable: self.isStorageAvailable,
            sensors: self.sensorsShown
        )
    }
}
