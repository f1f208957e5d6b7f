internal import WhereaboutsVocabulary

extension EngineSnapshot {
    /// A beacon, or the beacons that an app asks for.
    public struct BeaconRecord: Sendable, Hashable, Codable {
        /// The UUID's halves.
        public var uuid: [UInt64]
        /// The number of the group; absent: any.
        public var major: UInt16?
        /// The number in the group; absent: any.
        public var minor: UInt16?

        init(_ identity: BeaconIdentity) {
            self.uuid = [identity.uuid.high, identity.uuid.low]
            self.major = identity.major
            self.minor = identity.minor
        }

        init(_ beacon: Beacon) {
            self.init(BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor))
        }

        /// The beacons; nil when the record is impossible.
        var identity: BeaconIdentity? {
            guard self.uuid.count == 2 else { return nil }
            return BeaconIdentity(
                uuid: Beacon.OwnerID(high: self.uuid[0], low: self.uuid[1]),
                major: self.major,
                minor: self.minor
            )
        }

        /// The single beacon; nil when the record is impossible.
        var beacon: Beacon? {
            guard let identity, let major = identity.major, let minor = identity.minor else { return nil }
            return Beacon(uuid: identity.uuid, major: major, minor: minor)
        }
    }
}
