public import Foundation

/// The floor of a building.
open class CLFloor: NSObject, NSCopying, NSSecureCoding {
    private let storedLevel: Int

    /// Creates the ground floor.
    public override init() {
        self.storedLevel = 0
        super.init()
    }

    /// Creates a floor; apps receive floors from a location.
    package init(level: Int) {
        self.storedLevel = level
        super.init()
    }

    /// The number of the floor: 0 is the ground floor, negative numbers are below it.
    open var level: Int { self.storedLevel }

    /// A textual representation of the floor.
    open override var description: String { "<CLFloor: level \(self.level)>" }

    /// Returns the floor itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a floor from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let level: Int = coder.read({ try $0.integer("level") }) else { return nil }
        self.storedLevel = level
        super.init()
    }

    /// Writes the floor to an archive.
    open func encode(with coder: NSCoder) {
        coder.write(Double(self.level), "level")
    }
}
