public import Foundation

/// Where a location comes from.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding {
    private let isSimulated: Bool
    private let isAccessory: Bool

    /// Creates the information that a location comes from the device itself.
    public override init() {
        (self.isSimulated, self.isAccessory) = (false, false)
        super.init()
    }

    /// Creates information about where a location comes from.
    ///
    /// - Parameters:
    ///   - isSoftware: whether software made the location up.
    ///   - isAccessory: whether a device at hand measured it.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        (self.isSimulated, self.isAccessory) = (isSoftware, isAccessory)
        super.init()
    }

    /// Whether software made the location up.
    open var isSimulatedBySoftware: Bool { self.isSimulated }
    /// Whether a device at hand measured it, rather than this one.
    open var isProducedByAccessory: Bool { self.isAccessory }

    /// A text for people.
    open override var description: String {
        "<CLLocationSourceInformation: simulated \(self.isSimulatedBySoftware), accessory \(self.isProducedByAccessory)>"
    }

    /// Returns the information itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads information from an archive.
    public required init?(coder: NSCoder) {
        guard let states = coder.read({ (try $0.number("simulated") != 0, try $0.number("accessory") != 0) }) else {
            return nil
        }
        (self.isSimulated, self.isAccessory) = states
        super.init()
    }

    /// Writes the information to an archive.
    open func encode(with coder: NSCoder) {
        coder.write(self.isSimulatedBySoftware ? 1 : 0, "simulated")
        coder.write(self.isProducedByAccessory ? 1 : 0, "accessory")
    }
}
