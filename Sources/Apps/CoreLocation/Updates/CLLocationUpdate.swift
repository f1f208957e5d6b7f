internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// One element of the live updates: a location, why there is none, or both a location and what holds for it.
public struct CLLocationUpdate: Sendable {
    /// The location, or `nil` if none is available.
    ///
    /// A diagnostic says why there is none. Some diagnostics, such as ``stationary`` and ``accuracyLimited``, accompany a
    /// location.
    public let location: CLLocation?
    let bits: UInt32

    /// Creates an update; apps get theirs from ``liveUpdates(_:)``.
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

    /// The update a stream hears while locationd cannot be reached.
    static let withoutDaemon = CLLocationUpdate(location: nil, bits: UInt32(WireBits.Update.locationUnavailable))

    /// Updates are suspended: the person refused, or location services are off.
    public var authorizationDenied: Bool { self.has(WireBits.Update.authorizationDenied) }
    /// Updates are suspended: location services are off for every app.
    public var authorizationDeniedGlobally: Bool { self.has(WireBits.Update.authorizationDeniedGlobally) }
    /// Updates are suspended: the app is not authorized, and the person may not change that.
    public var authorizationRestricted: Bool { self.has(WireBits.Update.authorizationRestricted) }
    /// The system is asking the person; there is no answer yet.
    public var authorizationRequestInProgress: Bool { self.has(WireBits.Update.authorizationRequestInProgress) }
    /// Updates are suspended: the app is not sufficiently in use.
    public var insufficientlyInUse: Bool { self.has(WireBits.Update.insufficientlyInUse) }
    /// The app chose explicit sessions and holds none that asks for authorization.
    public var serviceSessionRequired: Bool { self.has(WireBits.Update.serviceSessionRequired) }
    /// Updates are suspended: the location cannot be determined.
    public var locationUnavailable: Bool { self.has(WireBits.Update.locationUnavailable) }
    /// Only reduced accuracy is allowed: the next update will come in some minutes.
    public var accuracyLimited: Bool { self.has(WireBits.Update.accuracyLimited) }
    /// The device stopped moving: updates pause with this one until it moves.
    public var stationary: Bool { self.has(WireBits.Update.stationary) }
    /// The older name of ``stationary``.
    @available(*, deprecated, renamed: "stationary")
    public var isStationary: Bool { self.stationary }

    private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }

    /// Returns the sequence of updates; iterating it starts delivery, leaving the loop stops it.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(client: .current(), configuration)
    }

    /// The sequence of updates in the default configuration.
    ///
    /// Apple's module does not have it; the listings of Apple's session write it, without parentheses.
    @_disfavoredOverload
    public static var liveUpdates: Updates { self.liveUpdates() }

    /// The use of the updates; decides when a still device pauses them.
    public enum LiveConfiguration: Equatable, Hashable {
        /// Nothing in particular.
        case `default`
        /// Navigation of a car.
        case automotiveNavigation
        /// Navigation of something else on the ground.
        case otherNavigation
        /// Sport on foot or bicycle.
        case fitness
        /// Flight.
        case airborne
        /// Navigation of a boat or ship.
        case maritime
    }
}

extension WireConfiguration {
    init(_ configuration: CLLocationUpdate.LiveConfiguration) {
        self =
            switch configuration {
            case .default: .default
            case .automotiveNavigation: .automotiveNavigation
            // The device waits as long for a boat to move on as for anything else that navigates.
            case .otherNavigation, .maritime: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
    }
}
