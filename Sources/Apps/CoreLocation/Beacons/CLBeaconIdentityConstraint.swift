public import Foundation

/// The identity of the beacons that an app ranges: all beacons with a UUID, a group of them, or one beacon.
///
/// Two constraints are equal if the same beacons satisfy them.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because the class is open, as Apple's class is; its only stored property is immutable.
    let identity: BeaconIdentity

    /// Creates a constraint that all beacons with a UUID satisfy.
    public init(uuid: UUID) {
        self.identity = BeaconIdentity(uuid: uuid)
        super.init()
    }

    /// Creates a constraint that all beacons with a UUID and a major number satisfy.
    public init(uuid: UUID, major: CLBeaconMajorValue) {
        self.identity = BeaconIdentity(uuid: uuid, major: major)
        super.init()
    }

    /// Creates a constraint that one beacon satisfies.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        self.identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        super.init()
    }

    init(_ identity: BeaconIdentity) {
        self.identity = identity
        super.init()
    }

    /// The UUID of the beacons.
    open var uuid: UUID { self.identity.uuid }
    /// The major number of the beacons, or `nil` for any.
    open var major: UInt16? { self.identity.major }
    /// The minor number of the beacons, or `nil` for any.
    open var minor: UInt16? { self.identity.minor }

    /// Returns whether another object is a constraint that the same beacons satisfy.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.identity == self.identity
    }

    /// A hash value of the beacons' identity.
    open override var hash: Int { self.identity.hashValue }

    /// A textual representation of the constraint.
    open override var description: String { "CLBeaconIdentityConstraint (\(self.identity))" }

    /// Returns the constraint itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a constraint from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let identity = coder.read(BeaconIdentity.init(from:)) else { return nil }
        self.identity = identity
        super.init()
    }

    /// Writes the constraint to an archive.
    open func encode(with coder: NSCoder) {
        self.identity.write(to: coder)
    }
}
