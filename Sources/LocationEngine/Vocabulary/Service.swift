/// A way to be given positions.
public enum Service: Sendable, Hashable {
    /// `CLLocationUpdate.liveUpdates`.
    case live(LiveConfiguration)
    /// `CLLocationManager.startUpdatingLocation`.
    case standard(StandardOptions)
    /// `CLLocationManager.requestLocation`: one position, or one refusal.
    case once(desiredAccuracy: Int32)

    /// The accuracy that asks for no more than reduced accuracy gives (`kCLLocationAccuracyReduced`).
    public static var reduced: Int32 { .max }

    /// Whether service sessions decide about it; the classic services need none (ADR 0009).
    var isModern: Bool {
        switch self {
        case .live: true
        case .standard, .once: false
        }
    }

    /// Whether the client asked for reduced positions whatever it may have.
    var asksForReduced: Bool {
        switch self {
        case .live: false
        case .standard(let options): options.desiredAccuracy == Self.reduced
        case .once(let accuracy): accuracy == Self.reduced
        }
    }

    /// Whose rule of stillness applies; nil when still devices are served all the same.
    var pausing: LiveConfiguration? {
        switch self {
        case .live(let configuration): configuration
        case .standard(let options): options.pausesAutomatically ? options.activity : nil
        case .once: nil
        }
    }

    /// Whether the service may go on while nobody looks at the app.
    var worksUnseen: Bool {
        switch self {
        case .live: true
        case .standard(let options): options.allowsBackground
        case .once: false
        }
    }

    /// Whether a process that takes up the right goes on with the left.
    func continues(_ other: Service) -> Bool {
        switch (self, other) {
        case (.live, .live), (.standard, .standard), (.once, .once): true
        case (.live, _), (.standard, _), (.once, _): false
        }
    }
}

/// What live updates are used for, in Apple's order; decides when a still device pauses them (``Policy/stillness(of:)``).
public enum LiveConfiguration: Int, Sendable, Hashable, CaseIterable {
    /// Nothing in particular.
    case `default` = 0
    /// Navigation of a car.
    case automotiveNavigation
    /// Navigation of something else on the ground or water.
    case otherNavigation
    /// Sport on foot or bicycle.
    case fitness
    /// Flight.
    case airborne
}

/// What a `CLLocationManager` asks of its standard updates.
public struct StandardOptions: Sendable, Hashable {
    /// Millimetres; zero or less: the best there is; ``Service/reduced``: no more than reduced accuracy gives.
    public var desiredAccuracy: Int32
    /// The way in millimetres before the next update; negative: every one.
    public var distanceFilter: Int32
    /// What the updates are used for.
    public var activity: LiveConfiguration
    /// `pausesLocationUpdatesAutomatically`.
    public var pausesAutomatically: Bool
    /// `allowsBackgroundLocationUpdates`.
    public var allowsBackground: Bool
    /// `showsBackgroundLocationIndicator`.
    public var showsIndicator: Bool

    /// Creates options; the defaults are Apple's.
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
