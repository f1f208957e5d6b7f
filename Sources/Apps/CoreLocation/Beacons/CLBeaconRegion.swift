public import Foundation

/// Where some beacons are received.
open class CLBeaconRegion: CLRegion {
    let identity: BeaconIdentity

    /// Creates a region of no beacons and no name.
    public override init() {
        self.identity = BeaconIdentity.nothing
        super.init()
    }

    init(_ identity: BeaconIdentity, identifier: String) {
        self.identity = identity
        super.init(identifier: identifier)
    }

    /// Creates the region of all beacons of a UUID.
    public init(uuid: UUID, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid)
        super.init(identifier: identifier)
    }

    /// Creates the region of a group of beacons.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid, major: major)
        super.init(identifier: identifier)
    }

    /// Creates the region of one beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// Creates the region of the beacons that satisfy a constraint.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        self.identity = BeaconIdentity(
            uuid: beaconIdentityConstraint.uuid,
            major: beaconIdentityConstraint.major,
            minor: beaconIdentityConstraint.minor
        )
        super.init(identifier: identifier)
    }

    /// Creates the region of all beacons of a UUID.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public init(proximityUUID: UUID, identifier: String) {
        self.identity = BeaconIdentity(uuid: proximityUUID)
        super.init(identifier: identifier)
    }

    /// Creates the region of a group of beacons.
    @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
    public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: proximityUUID, major: major)
        super.init(identifier: identifier)
    }

    /// Creates the region of one beacon.
    @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
    public init(
        proximityUUID: UUID,
        major: CLBeaconMajorValue,
        minor: CLBeaconMinorValue,
        identifier: String
    ) {
        self.identity = BeaconIdentity(uuid: proximityUUID, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// The beacons that are meant.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(self.identity) }
    /// The UUID of the beacons.
    open var uuid: UUID { self.identity.uuid }
    /// The UUID of the beacons.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { self.uuid }
    /// The group; nil for any.
    open var major: NSNumber? { self.identity.major.map { NSNumber(value: $0) } }
    /// The beacon in its group; nil for any.
    open var minor: NSNumber? { self.identity.minor.map { NSNumber(value: $0) } }
    /// Whether the app wants to be told when the person turns the display on in the region: the delegate's
    /// `locationManager(_:didDetermineState:for:)` is called, and the app is launched for it.
    ///
    /// A device learns of its display from an agent (`docs/protocol/agent.md`).
    open var notifyEntryStateOnDisplay = false

    /// Returns what a device advertises to be such a beacon, as `CBPeripheralManager` takes it.
    ///
    /// - Parameter measuredPower: the strength received at one metre, in dBm; nil for -59.
    /// - Returns: under `kCBAdvDataAppleBeaconKey` the UUID, the two numbers (0 for any) and the strength, 21 bytes.
    open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
        var bytes = unsafe withUnsafeBytes(of: self.uuid.uuid) { unsafe Array($0) }
        for number in [self.identity.major ?? 0, self.identity.minor ?? 0] {
            bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        bytes.append(UInt8(bitPattern: Int8(clamping: measuredPower?.intValue ?? -59)))
        return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": Data(bytes)])
    }

    /// A text for people.
    open override var description: String { "CLBeaconRegion (identifier:'\(self.identifier)', \(self.identity))" }

    /// Returns a region of the same beacons and name.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let region = CLBeaconRegion(self.identity, identifier: self.identifier)
        region.notifyEntryStateOnDisplay = self.notifyEntryStateOnDisplay
        return self.withNotifications(of: self, region)
    }

    // MARK: Archives

    /// Reads a region from an archive.
    public required init?(coder: NSCoder) {
        guard
            let (identity, onDisplay) = coder.read({
                (try BeaconIdentity(from: $0), try $0.number("notifyEntryStateOnDisplay") != 0)
            })
        else { return nil }
        self.identity = identity
        super.init(coder: coder)
        self.notifyEntryStateOnDisplay = onDisplay
    }

    /// Writes the region to an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        self.identity.write(to: coder)
        coder.write(self.notifyEntryStateOnDisplay ? 1 : 0, "notifyEntryStateOnDisplay")
    }
}
