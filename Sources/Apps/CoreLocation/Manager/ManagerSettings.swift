internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// The properties that an app sets on a manager; the defaults are those of iOS.
struct ManagerSettings: Sendable {
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesAutomatically = true
    var allowsBackground = false
    var showsIndicator = false
    var headingFilter: CLLocationDegrees = 1
    var headingOrientation = CLDeviceOrientation.portrait
    var purpose: String?

    /// The service that `startUpdatingLocation` requests.
    var standard: WireStream.OneOf_Service {
        .standard(
            .with {
                $0.desiredAccuracy = Self.accuracy(self.desiredAccuracy)
                $0.distanceFilter = Self.filter(self.distanceFilter)
                $0.activity =
                    switch self.activityType {
                    case .other: .default
                    case .automotiveNavigation: .automotiveNavigation
                    // For the pause of a stationary device, a boat counts as other navigation.
                    case .otherNavigation, .maritime: .otherNavigation
                    case .fitness: .fitness
                    case .airborne: .airborne
                    }
                $0.pausesAutomatically = self.pausesAutomatically
                $0.allowsBackground = self.allowsBackground
                $0.showsIndicator = self.showsIndicator
            }
        )
    }

    /// The service that `requestLocation` requests.
    var once: WireStream.OneOf_Service {
        .once(.with { $0.desiredAccuracy = Self.accuracy(self.desiredAccuracy) })
    }

    /// The service that `startUpdatingHeading` requests.
    var heading: WireStream.OneOf_Service {
        .heading(.with { $0.filter = self.headingFilter > 0 ? Int32(min(self.headingFilter, 360) * 100) : -1 })
    }

    /// Metres as millimetres for the wire; NaN requests the best accuracy.
    static func accuracy(_ metres: CLLocationAccuracy) -> Int32 {
        if metres == kCLLocationAccuracyReduced { return .max }
        return metres > 0 ? Int32(min(metres * 1000, Double(Int32.max - 1))) : -1000
    }

    /// Metres as millimetres for the wire; NaN means no filter.
    static func filter(_ metres: CLLocationDistance) -> Int32 {
        metres >= 0 ? Int32(min(metres * 1000, Double(Int32.max))) : -1
    }
}
