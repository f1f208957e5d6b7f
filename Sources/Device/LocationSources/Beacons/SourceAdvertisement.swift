public import Foundation

/// One reception of a beacon, as reported by a scanner.
public struct SourceAdvertisement: Sendable, Hashable {
    /// The UUID that all beacons of its owner send.
    public var uuid: UUID
    /// The number of its group.
    public var major: UInt16
    /// Its number within the group.
    public var minor: UInt16
    /// The strength that was received, in dBm.
    public var rssi: Int8
    /// The strength at one metre that the beacon reports in its advertisement, in dBm.
    public var measuredPower: Int8
}
