public import Foundation

/// The beacons that are meant: those of an app's UUID, of one group of them, or one.
///
/// Constraints are equal when they mean the same beacons.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because the class is open as Apple's is; the only stored property is immutable.
    let identity: BeaconIdentity

    /// Creates a constraint that all beacons of a UUID satisfy.
    public init(uuid: UUID) {
        self.identity = BeaconIdentity(uuid: uuid)
        super.init()
    }

    /// Creates a constraint that all beacons of a group satisfy.
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
    /// The group; nil for any.
    open var major: UInt16? { self.identity.major }
    /// The beacon in its group; nil for any.
    open var minor: UInt16? { self.identity.minor }

    /// Whether another object is a constraint that the same beacons satisfy.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.identity == self.identity
    }

    /// Equal for equal constraints.
    open override var hash: Int { self.identity.hashValue }

    /// A text for people.
    open override var description: String { "CLBeaconIdentityConstraint (\(self.identity))" }

    /// Returns the constraint itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a constraint from an archive.
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
