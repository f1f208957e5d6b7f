/// The terms on which an app is served that are not its own: the word of the device's owner, that of the person for all apps,
/// and the device's own.
struct Terms: Sendable, Hashable {
    /// The owner's rule for the app.
    var rule: Management.Rule
    /// Whether location services are on.
    var areServicesOn: Bool
    /// Whether an app granted Always that never took a session may be woken by pushes.
    var pushesWithoutSession: Bool

    /// Whether the device's disk takes what is decided.
    var isStorageAvailable: Bool

    /// The sensors that the device has, as far as they showed themselves.
    var sensors: PerSensor<Bool>

    /// Whether people may be asked about the app at all.
    var mayAsk: Bool { self.areServicesOn && self.rule.restriction == .none }
}

extension Engine {
    /// Whether location services are on: the owner's word, otherwise the person's.
    public var areServicesOn: Bool { self.management.locationServices ?? self.servicesOn }

    /// Whether the owner's rules, and not the person, switch location services.
    public var areServicesManaged: Bool { self.management.locationServices != nil }

    func terms(of bundle: BundleID) -> Terms {
        Terms(
            rule: self.management.rule(for: bundle),
            areServicesOn: self.areServicesOn,
            pushesWithoutSession: self.policy.pushesWithoutSession,
            isStorageAvailable: self.isStorageAvailable,
            sensors: self.sensorsShown
        )
    }
}
