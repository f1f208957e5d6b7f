internal import LocationWireMessages

/// One element of the live updates: a location, or why there is none.
public struct CLLocationUpdate: Sendable {
    /// The location; nil when one of the diagnostics is true.
    public let location: CLLocation?
    private let bits: UInt32

    init(location: CLLocation?, bits: UInt32) {
        self.location = location
        self.bits = bits
    }

    init(_ update: Whereabouts_Locationwire_V1_Update) {
        self.init(location: update.hasFix ? CLLocation(update.fix) : nil, bits: update.diagnostics)
    }

    /// What a stream hears while locationd cannot be reached.
    static let withoutDaemon = CLLocationUpdate(location: nil, bits: 1 << 4)

    /// Updates are suspended: the person refused.
    public var authorizationDenied: Bool { self.has(0) }
    /// The system is asking the person; there is no answer yet.
    public var authorizationRequestInProgress: Bool { self.has(1) }
    /// Updates are suspended: the app is not sufficiently in use.
    public var insufficientlyInUse: Bool { self.has(2) }
    /// The app chose explicit sessions and holds none that asks for authorization.
    public var serviceSessionRequired: Bool { self.has(3) }
    /// Updates are suspended: the location cannot be determined.
    public var locationUnavailable: Bool { self.has(4) }

    /// The bits are those of the engine's `UpdateDiagnostics`, which a test compares.
    private func has(_ bit: UInt32) -> Bool { self.bits & 1 << bit != 0 }

    /// Returns the sequence of updates; iterating it starts delivery, leaving the loop stops it.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(client: .current())
    }

    /// What the updates are used for.
    public enum LiveConfiguration: Equatable, Hashable, Sendable {
        /// Nothing in particular.
        case `default`
        /// Navigation of a car.
        case automotiveNavigation
        /// Navigation of something else on the ground or water.
        case otherNavigation
        /// Sport on foot or bicycle.
        case fitness
        /// Flight.
        case airborne
    }
}
