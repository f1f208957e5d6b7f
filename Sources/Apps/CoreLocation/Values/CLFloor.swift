public import Foundation

/// A storey of a building.
open class CLFloor: NSObject, NSCopying, NSSecureCoding {
    private let storedLevel: Int

    /// Creates the ground floor.
    public override init() {
        self.storedLevel = 0
        super.init()
    }

    /// Creates a floor; apps get theirs from a location.
    package init(level: Int) {
        self.storedLevel = level
        super.init()
    }

    /// The storey: 0 is the ground floor, negative ones are below it.
    open var level: Int { self.storedLevel }

    /// A text for people.
    open override var description: String { "<CLFloor: level \(self.level)>" }

    /// Returns the floor itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a floor from an archive.
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
