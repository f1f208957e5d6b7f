public import Foundation

/// An area that can be watched; what kind of area, its subclasses say.
///
/// Regions are equal when their identifiers are: a manager watches one region of a name.
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
    private let storedIdentifier: String

    /// Creates a region of no area and no name.
    public override init() {
        self.storedIdentifier = ""
        super.init()
    }

    /// Creates a region of a name.
    package init(identifier: String) {
        self.storedIdentifier = identifier
        super.init()
    }

    /// The name of the region, one of its kind in an app.
    open var identifier: String { self.storedIdentifier }
    /// Whether the app wants to know that the device came in.
    open var notifyOnEntry = true
    /// Whether the app wants to know that the device went out.
    open var notifyOnExit = true

    /// Whether another object is a region of the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == self.identifier
    }

    /// Equal for regions of the same identifier.
    open override var hash: Int { self.identifier.hashValue }

    /// A text for people.
    open override var description: String { "CLRegion (identifier:'\(self.identifier)')" }

    /// Returns a region of the same kind, area and name.
    open func copy(with zone: NSZone? = nil) -> Any {
        self.withNotifications(of: self, CLRegion(identifier: self.identifier))
    }

    func withNotifications<Region: CLRegion>(of other: CLRegion, _ region: Region) -> Region {
        region.notifyOnEntry = other.notifyOnEntry
        region.notifyOnExit = other.notifyOnExit
        return region
    }

    // MARK: Archives

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a region from an archive.
    public required init?(coder: NSCoder) {
        guard
            let (identifier, onEntry, onExit) = coder.read({
                (try $0.text("identifier"), try $0.number("notifyOnEntry") != 0, try $0.number("notifyOnExit") != 0)
            })
        else { return nil }
        self.storedIdentifier = identifier
        super.init()
        self.notifyOnEntry = onEntry
        self.notifyOnExit = onExit
    }

    /// Writes the region to an archive.
    open func encode(with coder: NSCoder) {
        coder.write(self.storedIdentifier, "identifier")
        coder.write(self.notifyOnEntry ? 1 : 0, "notifyOnEntry")
        coder.write(self.notifyOnExit ? 1 : 0, "notifyOnExit")
    }
}
