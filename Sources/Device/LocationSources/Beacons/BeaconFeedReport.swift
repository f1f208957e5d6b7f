internal import Foundation

/// A line of a scanner of beacons, in its wire format (`docs/beacons.md`).
struct BeaconFeedReport: Decodable {
    let listening: Bool?
    let uuid: UUID?
    let major, minor: Int?
    let rssi, measuredPower: Int?
    let time: Double?

    /// The signal strengths that a receiver can report, in dBm.
    ///
    /// Bluetooth Core Specification 5.4, volume 4, part E, 7.7.65.2; there, 127 means that no strength was measured.
    private static let strengths = -127...20

    /// The reception; nil: the line contains none.
    func advertisement(wall: Double, _ secondsMax: Int) throws(BeaconFeedError.Rule) -> SourceAdvertisement? {
        if self.uuid == nil, self.listening != nil { return nil }
        guard let uuid, let major, let minor, let rssi, let measuredPower else { throw .notAReport }
        guard let major = UInt16(exactly: major) else { throw .outOfRange(field: "major") }
        guard let minor = UInt16(exactly: minor) else { throw .outOfRange(field: "minor") }
        if let time, !(abs(time - wall) <= Double(secondsMax)) { throw .anotherTime(secondsMax: secondsMax) }
        return SourceAdvertisement(
            uuid: uuid,
            major: major,
            minor: minor,
            rssi: try Self.strength("rssi", rssi),
            measuredPower: try Self.strength("measuredPower", measuredPower)
        )
    }

    private static func strength(_ field: String, _ value: Int) throws(BeaconFeedError.Rule) -> Int8 {
        guard self.strengths.contains(value) else { throw .outOfRange(field: field) }
        return Int8(value)
    }
}
