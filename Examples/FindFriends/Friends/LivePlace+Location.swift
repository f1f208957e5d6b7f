public import CoreLocation
public import WhereaboutsSharing

extension SharedFix {
    /// The part of a location that a friend gets to know.
    public init(_ location: CLLocation) throws {
        try self.init(
            latitude: location.coordinate.latitude,
            longitude: location.coordinate.longitude,
            horizontalAccuracy: location.horizontalAccuracy,
            time: WallTime(milliseconds: Int64(location.timestamp.timeIntervalSince1970 * 1000)),
            altitude: location.verticalAccuracy >= 0 ? location.altitude : nil,
            course: location.course >= 0 ? location.course : nil,
            speed: location.speed >= 0 ? location.speed : nil
        )
    }
}

extension LivePlace {
    /// The part of an update that friends who follow get to know; nil when there is none.
    public init?(_ update: CLLocationUpdate) {
        if update.authorizationDenied || update.authorizationDeniedGlobally || update.authorizationRestricted {
            self = .denied
        } else if let location = update.location {
            guard let fix = try? SharedFix(location) else { return nil }
            self = .fix(fix, isStationary: update.stationary)
        } else if update.locationUnavailable {
            self = .unknown("The receiver finds no position.")
        } else {
            return nil
        }
    }
}
