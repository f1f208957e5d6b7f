public import WhereaboutsVocabulary

/// A beacon, identified by the values that it sends.
///
/// An iBeacon sends a UUID that all beacons of an owner share, and two numbers ("Getting Started with iBeacon", Apple 2014).
public struct Beacon: Sendable, Hashable {
    /// The UUID of an owner of beacons.
    public typealias OwnerID = Identifier128<Beacon>

    /// The UUID that all beacons of its owner send.
    public var uuid: OwnerID
    /// The number of the beacon's group.
    public var major: UInt16
    /// The number of the beacon within the group.
    public var minor: UInt16

    /// Creates a beacon.
    public init(uuid: OwnerID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// The three identities that the beacon satisfies.
    var identities: [BeaconIdentity] {
        [
            BeaconIdentity(uuid: self.uuid), BeaconIdentity(uuid: self.uuid, major: self.major),
            BeaconIdentity(uuid: self.uuid, major: self.major, minor: self.minor),
        ]
    }
}

/// The beacons that an app asks for: all of an owner, those of a group, or a single one.
public struct BeaconIdentity: Sendable, Hashable {
    /// The UUID that the beacons send.
    public let uuid: Beacon.OwnerID
    /// The number of the beacons' group; nil: any.
    public let major: UInt16?
    /// The number in the group; nil: any.
    public let minor: UInt16?

    /// Creates an identity; a nil number in a group means any, as in Apple's initializers.
    public init(uuid: Beacon.OwnerID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = major == nil ? nil : minor
    }

    /// Whether several beacons may satisfy the identity.
    public var isOpen: Bool { self.minor == nil }

    /// Whether a beacon satisfies the identity.
    public func isSatisfied(by beacon: Beacon) -> Bool {
        self.uuid == beacon.uuid && (self.major ?? beacon.major) == beacon.major
            && (self.minor ?? beacon.minor) == beacon.minor
    }
}

/// One reception of a beacon.
public struct Advertisement: Sendable, Hashable {
    /// The beacon.
    public var beacon: Beacon
    /// The strength that was received, in dBm.
    public var rssi: Int8
    /// The strength at one metre that the beacon reports in its advertisement, in dBm.
    public var measuredPower: Int8

    /// Creates an advertisement.
    public init(beacon: Beacon, rssi: Int8, measuredPower: Int8) {
        self.beacon = beacon
        self.rssi = rssi
        self.measuredPower = measuredPower
    }
}
