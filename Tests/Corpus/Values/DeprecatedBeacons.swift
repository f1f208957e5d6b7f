import CoreLocation

final class OldBeaconStore {
    func region(_ uuid: UUID) -> CLBeaconRegion {
        let region = CLBeaconRegion(proximityUUID: uuid, major: 1, minor: 2, identifier: "old")
        print(region.proximityUUID.uuidString)
        return region
    }

    func key(for beacon: CLBeacon) -> String {
        "\(beacon.proximityUUID)-\(beacon.major)-\(beacon.minor)"
    }

    func distance(_ a: CLLocation, _ b: CLLocation) -> Double {
        a.getDistanceFrom(b)
    }
}
