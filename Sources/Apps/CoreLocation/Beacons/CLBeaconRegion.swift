public import Foundation

/// The surroundings of beacons.
///
/// The device is inside the region while it receives one of the beacons, and outside after it has received none of them
/// for 30 seconds. For the first five seconds after the start, the state is undecided: a beacon that is received then
/// means that the device is inside, not that it entered. Request the state in
/// ``CLLocationManagerDelegate/locationManager(_:didStartMonitoringFor:)``.
@available(iOS, deprecated: 100000.0, message: "Use CLBeaconIdentityCondition")
open class CLBeaconRegion: CLRegion {
    let identity: BeaconIdentity

    /// Creates a region of no beacons, with an empty identifier.
    public override init() {
        self.identity = BeaconIdentity.nothing
        super.init()
    }

    init(_ identity: BeaconIdentity, identifier: String) {
        self.identity = identity
        super.init(identifier: identifier)
    }

    /// Creates a region of all beacons with a UUID.
    ///
    /// - Parameters:
    ///   - uuid: the UUID of the beacons.
    ///   - identifier: the identifier of the region, unique in the app.
    public init(uuid: UUID, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid)
        super.init(identifier: identifier)
    }

    /// Creates a region of all beacons with a UUID and a major number.
    ///
    /// - Parameters:
    ///   - uuid: the UUID of the beacons.
    ///   - major: the major number of the beacons.
    ///   - identifier: the identifier of the region, unique in the app.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid, major: major)
        super.init(identifier: identifier)
    }

    /// Creates a region of one beacon.
    ///
    /// - Parameters:
    ///   - uuid: the UUID of the beacons.
    ///   - major: the major number of the beacons.
    ///   - minor: the minor number of the beacon.
    ///   - identifier: the identifier of the region, unique in the app.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// Creates a region of the beacons that satisfy a constraint.
    ///
    /// - Parameters:
    ///   - beaconIdentityConstraint: the constraint.
    ///   - identifier: the identifier of the region, unique in the app.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        self.identity = BeaconIdentity(
            uuid: beaconIdentityConstraint.uuid,
            major: beaconIdentityConstraint.major,
            minor: beaconIdentityConstraint.minor
        )
        super.init(identifier: identifier)
    }

    /// Creates a region of all beacons with a UUID.
    ///
    /// - Parameters:
    ///   - proximityUUID: the UUID of the beacons.
    ///   - identifier: the identifier of the region, unique in the app.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public init(proximityUUID: UUID, identifier: String) {
        self.identity = BeaconIdentity(uuid: proximityUUID)
        super.init(identifier: identifier)
    }

    /// Creates a region of all beacons with a UUID and a major number.
    ///
    /// - Parameters:
    ///   - proximityUUID: the UUID of the beacons.
    ///   - major: the major number of the beacons.
    ///   - identifier: the identifier of the region, unique in the app.
    @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
    public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.identity = BeaconIdentity(uuid: proximityUUID, major: major)
        super.init(identifier: identifier)
    }

    /// Creates a region of one beacon.
    ///
    /// - Parameters:
    ///   - proximityUUID: the UUID of the beacons.
    ///   - major: the major number of the beacons.
    ///   - minor: the minor number of the beacon.
    ///   - identifier: the identifier of the region, unique in the app.
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

    /// The identity of the beacons.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(self.identity) }
    /// The UUID of the beacons.
    open var uuid: UUID { self.identity.uuid }
    /// The UUID of the beacons.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { self.uuid }
    /// The major number of the beacons, or `nil` for any.
    open var major: NSNumber? { self.identity.major.map { NSNumber(value: $0) } }
    /// The minor number of the beacons, or `nil` for any.
    open var minor: NSNumber? { self.identity.minor.map { NSNumber(value: $0) } }
    /// A Boolean value that indicates whether the delegate receives the state when the person turns on the display
    /// inside the region.
    ///
    /// The default is `false`. The delegate receives
    /// ``CLLocationManagerDelegate/locationManager(_:didDetermineState:for:)``, and an app with Always authorization is
    /// launched for it. An agent reports that the display is on (`docs/protocol/agent.md`).
    open var notifyEntryStateOnDisplay = false

    /// Returns the data that a device advertises to act as one of these beacons.
    ///
    /// - Parameter measuredPower: the signal strength at one meter, in decibels (dBm), or `nil` for -59.
    /// - Returns: a dictionary for `CBPeripheralManager`: under `kCBAdvDataAppleBeaconKey`, 21 bytes with the UUID,
    ///   both numbers (0 for any) and the strength.
    open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
        var bytes = unsafe withUnsafeBytes(of: self.uuid.uuid) { unsafe Array($0) }
        for number in [self.identity.major ?? 0, self.identity.minor ?? 0] {
            bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        bytes.append(UInt8(bitPattern: Int8(clamping: measuredPower?.intValue ?? -59)))
        return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": Data(bytes)])
    }

    /// A textual representation of the region.
    open override var description: String { "CLBeaconRegion (identifier:'\(self.identifier)', \(self.identity))" }

    /// Returns a copy of the region.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let region = CLBeaconRegion(self.identity, identifier: self.identifier)
        region.notifyEntryStateOnDisplay = self.notifyEntryStateOnDisplay
        return self.withNotifications(of: self, region)
    }

    // MARK: Archives

    /// Creates a region from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
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
