public import WhereaboutsLocationEngine

/// The number of an order; the host assigns it and knows the recipient of the answer.
public struct OrderID: Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// Creates a number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A command from the device's owner or from a person.
public enum Order: Sendable, Hashable {
    /// Start an app, or show a running one.
    case run(BundleID, Lifecycle.Phase, arguments: [String] = [])
    /// End an app: ask its process to end, then kill it.
    case close(BundleID, by: Lifecycle.Cause)
    /// Show an app that runs, or hide it.
    case show(BundleID, Lifecycle.Phase)
    /// Install an app whose files are in place, and end the processes of an earlier version.
    case install(BundleID, AppManifest)
    /// Forget an app, and end all its processes by force.
    case remove(BundleID)
    case change(SettingsChange)
    /// Send an app a push, without the gateway.
    case push(Push)
}

/// A change in Settings; nil fields stay as they are.
public struct SettingsChange: Sendable, Hashable {
    /// The app whose entry changes.
    public var bundle: BundleID?
    /// Whether location services are on.
    public var areServicesOn: Bool?
    /// The authorization that the app is given.
    public var location: Authorization.Setting?
    /// Whether the app may receive the precise location.
    public var isPrecise: Bool?

    /// Creates a change; the default changes nothing.
    public init(
        bundle: BundleID? = nil,
        areServicesOn: Bool? = nil,
        location: Authorization.Setting? = nil,
        isPrecise: Bool? = nil
    ) {
        self.bundle = bundle
        self.areServicesOn = areServicesOn
        self.location = location
        self.isPrecise = isPrecise
    }
}

/// The outcome of an order.
public enum OrderResult: Sendable, Hashable {
    case done
    /// The order was refused, and nothing changed.
    case refused(OrderRefusal)
    /// The system could not carry out the order; the reason is for people.
    case failed(reason: String)
    /// The app was started, and ended at once.
    case endedAtOnce(Engine.ProcessEnd)
    /// The outcome of a push.
    case pushed(PushFate)
}

/// Why an order is refused.
public enum OrderRefusal: Sendable, Hashable {
    /// No such app is installed.
    case notInstalled(BundleID)
    /// The app does not run.
    case notRunning(BundleID)
    /// The app runs already, and cannot get other arguments.
    case runsWithOtherArguments(BundleID)
    /// The owner's rules forbid people to change the app's entry in Settings.
    case restricted(BundleID, Management.Restriction)
    /// The owner's rules forbid people to switch location services.
    case servicesAreManaged
    /// The push's payload is not a JSON object.
    case payloadIsNoObject
}
