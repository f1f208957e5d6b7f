public import Foundation

/// Information about the source of a location.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding {
    private let isSimulated: Bool
    private let isAccessory: Bool

    /// Creates the information that the device itself measured a location.
    public override init() {
        (self.isSimulated, self.isAccessory) = (false, false)
        super.init()
    }

    /// Creates information about the source of a location.
    ///
    /// - Parameters:
    ///   - isSoftware: whether software simulated the location.
    ///   - isAccessory: whether an external accessory measured the location.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        (self.isSimulated, self.isAccessory) = (isSoftware, isAccessory)
        super.init()
    }

    /// A Boolean value that indicates whether software simulated the location.
    open var isSimulatedBySoftware: Bool { self.isSimulated }
    /// A Boolean value that indicates whether an external accessory measured the location.
    open var isProducedByAccessory: Bool { self.isAccessory }

    /// A textual representation of the information.
    open override var description: String {
        "<CLLocationSourceInformation: simulated \(self.isSimulatedBySoftware), accessory \(self.isProducedByAccessory)>"
    }

    /// Returns the information itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates the information from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
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
