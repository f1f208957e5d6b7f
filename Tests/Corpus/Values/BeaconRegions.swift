import CoreLocation

enum Beacons {
    static let uuid = UUID(uuidString: "74278BDA-B644-4520-8F0C-720EAF059935") ?? UUID()

    static func regions() -> [CLBeaconRegion] {
        let constraint = CLBeaconIdentityConstraint(uuid: uuid, major: 100)
        return [
            CLBeaconRegion(uuid: uuid, identifier: "all"),
            CLBeaconRegion(uuid: uuid, major: 1, identifier: "shop"),
            CLBeaconRegion(uuid: uuid, major: CLBeaconMajorValue(1), minor: CLBeaconMinorValue(2), identifier: "door"),
            CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: constraint.uuid.uuidString),
        ]
    }

    static func describe(_ region: CLBeaconRegion) -> String {
        let major = region.major?.intValue ?? -1
        let minor = region.minor?.stringValue ?? "any"
        return "\(region.uuid.uuidString)/\(major)/\(minor) \(region.beaconIdentityConstraint.major ?? 0)"
    }

    static func advertisement(_ region: CLBeaconRegion) -> [String: Any]? {
        region.notifyEntryStateOnDisplay = true
        return region.peripheralData(withMeasuredPower: nil) as? [String: Any]
    }
}
