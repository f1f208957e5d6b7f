internal import Foundation
internal import WhereaboutsLocationWireMessages

extension WireAddCondition.OneOf_Condition {
    /// The condition in wire form; nil: a custom condition type, or an invalid circle.
    init?(_ condition: any CLCondition) {
        switch condition {
        case let circle as CLMonitor.CircularGeographicCondition:
            guard let wire = WireCircularCondition(circle) else { return nil }
            self = .circle(wire)
        case let beacon as CLMonitor.BeaconIdentityCondition:
            self = .beacon(WireBeaconIdentity(BeaconIdentity(beacon)))
        default: return nil
        }
    }
}

extension WireConditionRecord {
    /// The condition; nil: a later version of the protocol has more kinds.
    var watched: (any CLCondition)? {
        switch self.condition {
        case .circle(let circle): CLMonitor.CircularGeographicCondition(circle)
        case .beacon(let identity): CLMonitor.BeaconIdentityCondition(identity)
        case nil: nil
        }
    }
}

extension WireCircularCondition {
    /// The circle in integers; nil when a value is not a number, or is too large.
    fileprivate init?(_ condition: CLMonitor.CircularGeographicCondition) {
        guard let latitude = Int32(exactly: (condition.center.latitude * 1e7).rounded()),
            let longitude = Int32(exactly: (condition.center.longitude * 1e7).rounded()),
            let radius = Int32(exactly: (condition.radius * 1000).rounded())
        else { return nil }
        self.init()
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
    }
}

extension CLMonitor.CircularGeographicCondition {
    fileprivate init(_ circle: WireCircularCondition) {
        self.init(
            center: CLLocationCoordinate2D(
                latitude: Double(circle.latitude) / 1e7,
                longitude: Double(circle.longitude) / 1e7
            ),
            radius: Double(circle.radius) / 1000
        )
    }
}

extension CLMonitor.BeaconIdentityCondition {
    init(_ identity: WireBeaconIdentity) {
        self.init(BeaconIdentity(identity))
    }
}
