internal import Foundation
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension BeaconIdentity {
    init(_ identity: WireBeaconIdentity) {
        self.init(
            uuid: Identifier128<BeaconIdentity>(high: identity.uuidHigh, low: identity.uuidLow).uuid,
            major: identity.hasMajor ? UInt16(clamping: identity.major) : nil,
            minor: identity.hasMinor ? UInt16(clamping: identity.minor) : nil
        )
    }

    init(_ condition: CLMonitor.BeaconIdentityCondition) {
        self.init(uuid: condition.uuid, major: condition.major, minor: condition.minor)
    }
}

extension WireBeaconIdentity {
    init(_ identity: BeaconIdentity) {
        self.init()
        let uuid = Identifier128<BeaconIdentity>(identity.uuid)
        (self.uuidHigh, self.uuidLow) = (uuid.high, uuid.low)
        if let major = identity.major { self.major = UInt32(major) }
        if let minor = identity.minor { self.minor = UInt32(minor) }
    }
}

extension Identifier128 where Tag == BeaconIdentity {
    fileprivate init(_ uuid: UUID) {
        guard let identifier = Self(bytes: unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }) else {
            preconditionFailure("a UUID has 16 bytes")
        }
        self = identifier
    }

    fileprivate var uuid: UUID {
        let it = self.bytes
        return UUID(
            uuid: (
                it[0], it[1], it[2], it[3], it[4], it[5], it[6], it[7], it[8], it[9], it[10], it[11], it[12], it[13],
                it[14], it[15]
            )
        )
    }
}

extension CLBeacon.Fields {
    /// A beacon in range, as reported by the device.
    init(_ beacon: WireRangedBeacon) {
        let identity = BeaconIdentity(beacon.beacon)
        self.init(uuid: identity.uuid)
        self.major = identity.major ?? 0
        self.minor = identity.minor ?? 0
        self.rssi = Int(beacon.rssi)
        if beacon.hasAccuracy { self.accuracy = Double(beacon.accuracy) / 1000 }
        self.proximity =
            switch beacon.proximity {
            case .immediate: .immediate
            case .near: .near
            case .far: .far
            case .unknown, .UNRECOGNIZED: .unknown
            }
        self.timestamp = Date(timeIntervalSince1970: Double(beacon.time) / 1e6)
    }
}
