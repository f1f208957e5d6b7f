internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// An update of the location: a location, the reason why none is available, or a location with diagnostics.
public struct CLLocationUpdate: Sendable {
    /// The location, or `nil` if none is available.
    ///
    /// A diagnostic says why no location is available. Some diagnostics, such as ``stationary`` and
    /// ``accuracyLimited``, accompany a location.
    public let location: CLLocation?
    let bits: UInt32

    /// Creates an update; apps receive updates from ``liveUpdates(_:)``.
    ///
    /// - Parameters:
    ///   - location: the location.
    ///   - bits: the diagnostics: `WireBits.Update`.
    package init(location: CLLocation?, bits: UInt32) {
        self.location = location
        self.bits = bits
    }

    init(_ update: WireUpdate) {
        let location = if case .fix(let fix)? = update.element { CLLocation(fix) } else { CLLocation?.none }
        self.init(location: location, bits: update.diagnostics)
    }

    /// The update that a stream receives while locationd cannot be reached.
    static let withoutDaemon = CLLocationUpdate(location: nil, bits: UInt32(WireBits.Update.locationUnavailable))

    /// A Boolean value that indicates that updates are suspended, since the person denied access or location services
    /// are off.
    public var authorizationDenied: Bool { self.has(WireBits.Update.authorizationDenied) }
    /// A Boolean value that indicates that updates are suspended, since location services are off for all apps.
    ///
    /// ``authorizationDenied`` is `true`, too.
    public var authorizationDeniedGlobally: Bool { self.has(WireBits.Update.authorizationDeniedGlobally) }
    /// A Boolean value that indicates that updates are suspended, since a rule of the device's owner forbids access
    /// and the person cannot change it.
    public var authorizationRestricted: Bool { self.has(WireBits.Update.authorizationRestricted) }
    /// A Boolean value that indicates that updates are suspended until the person answers a prompt.
    public var authorizationRequestInProgress: Bool { self.has(WireBits.Update.authorizationRequestInProgress) }
    /// A Boolean value that indicates that updates are suspended, since the app is not sufficiently in use.
    ///
    /// Updates continue when the app comes to the foreground. To receive them in the background, hold a
    /// ``CLBackgroundActivitySession``, or a ``CLServiceSession`` for Always.
    public var insufficientlyInUse: Bool { self.has(WireBits.Update.insufficientlyInUse) }
    /// A Boolean value that indicates that updates are suspended, since the app must hold a service session but does
    /// not hold one.
    ///
    /// The Info.plist contains `NSLocationRequireExplicitServiceSession`; create a ``CLServiceSession``.
    public var serviceSessionRequired: Bool { self.has(WireBits.Update.serviceSessionRequired) }
    /// A Boolean value that indicates that updates are suspended, since the device cannot find its location.
    public var locationUnavailable: Bool { self.has(WireBits.Update.locationUnavailable) }
    /// A Boolean value that indicates that the next update follows only in some minutes, since only reduced accuracy
    /// is allowed.
    public var accuracyLimited: Bool { self.has(WireBits.Update.accuracyLimited) }
    /// A Boolean value that indicates that updates pause with this one, since the device stopped moving.
    ///
    /// Updates continue when the device moves or loses its location.
    public var stationary: Bool { self.has(WireBits.Update.stationary) }
    /// A Boolean value that indicates that updates pause with this one, since the device stopped moving.
    @available(*, deprecated, renamed: "stationary")
    public var isStationary: Bool { self.stationary }

    private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }

    /// Returns an asynchronous sequence of location updates.
    ///
    /// Iterating the sequence starts the delivery, and leaving the loop stops it:
    ///
    /// ```swift
    /// for try await update in CLLocationUpdate.liveUpdates() {
    ///     if let location = update.location { show(location) }
    ///     if update.authorizationDenied { break }
    /// }
    /// ```
    ///
    /// If the person has not decided yet, the iteration asks for permission to use the location while the app is in use. The Info.plist
    /// must contain `NSLocationWhenInUseUsageDescription`. If the Info.plist contains `NSLocationRequireExplicitServiceSession`, the
    /// iteration does not ask: create a ``CLServiceSession``. The sequence does not end when the person denies access: updates report the
    /// reason, and locations follow when access is allowed.
    ///
    /// In the background, updates need `location` in the Info.plist's `UIBackgroundModes`, and a
    /// ``CLBackgroundActivitySession``, a live activity, or Always authorization with a session for it. An app that
    /// was terminated meanwhile is launched when there is an update, and must iterate again within five seconds.
    ///
    /// - Parameter configuration: the kind of activity that the app uses the updates for.
    /// - Returns: the sequence.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(client: .current(), configuration)
    }

    /// The sequence of location updates in the default configuration.
    ///
    /// Apple's module does not have this property. Listings of Apple's sessions write `liveUpdates` without
    /// parentheses.
    @_disfavoredOverload
    public static var liveUpdates: Updates { self.liveUpdates() }

    /// The kind of activity that the app uses live updates for.
    ///
    /// The device uses it to decide when to pause updates after it has stopped moving.
    public enum LiveConfiguration: Equatable, Hashable {
        case `default`
        case automotiveNavigation
        /// Navigation of another vehicle on the ground, such as a train.
        case otherNavigation
        /// Sport on foot or by bicycle.
        case fitness
        case airborne
        /// Navigation of a boat or a ship.
        case maritime
    }
}

extension WireConfiguration {
    init(_ configuration: CLLocationUpdate.LiveConfiguration) {
        self =
            switch configuration {
            case .default: .default
            case .automotiveNavigation: .automotiveNavigation
            // For the pause of a stationary device, a boat counts as other navigation.
            case .otherNavigation, .maritime: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
    }
}
