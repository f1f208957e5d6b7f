public import Foundation

/// One reception of a beacon, as a scanner tells it.
public struct SourceAdvertisement: Sendable, Hashable {
    /// The UUID that all beacons of its owner send.
    public var uuid: UUID
    /// The number of its group.
    public var major: UInt16
    /// Its number in the group.
    public var minor: UInt16
    /// The strength that was received, in dBm.
    public var rssi: Int8
    /// The strength that is received at one metre, in dBm, as the beacon says it.
    public var measuredPower: Int8
}
