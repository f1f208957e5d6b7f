package import Foundation
package import WhereaboutsLocationEngine
package import WhereaboutsLocationWireMessages
package import WhereaboutsVocabulary

/// Maps beacons between the engine and the wire.
extension WireBeaconIdentity {
    package init(_ identity: BeaconIdentity) {
        self.init()
        self.uuidHigh = identity.uuid.high
        self.uuidLow = identity.uuid.low
        if let major = identity.major { self.major = UInt32(major) }
        if let minor = identity.minor { self.minor = UInt32(minor) }
    }

    package init(_ beacon: Beacon) {
        self.init(BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor))
    }
}

extension BeaconIdentity {
    /// Reads an identity, and clamps impossible numbers.
    package init(_ identity: WireBeaconIdentity) {
        self.init(
            uuid: Beacon.OwnerID(high: identity.uuidHigh, low: identity.uuidLow),
            major: identity.hasMajor ? UInt16(clamping: identity.major) : nil,
            minor: identity.hasMinor ? UInt16(clamping: identity.minor) : nil
        )
    }
}

extension WireRangedBeacon {
    package init(_ beacon: RangedBeacon) {
        self.init()
        self.beacon = .init(beacon.beacon)
        self.rssi = Int32(clamping: beacon.rssi)
        if let distance = beacon.distance { self.accuracy = Int32(clamping: distance) }
        self.proximity =
            switch beacon.proximity {
            case .unknown: .unknown
            case .immediate: .immediate
            case .near: .near
            case .far: .far
            }
        self.time = beacon.time.microseconds
    }
}

extension Identifier128 where Tag == Beacon {
    /// Creates the engine's form of a UUID.
    package init(_ uuid: UUID) {
        guard let identifier = Self(bytes: unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }) else {
            preconditionFailure("a UUID has 16 bytes")
        }
        self = identifier
    }
}
