public import Foundation

/// An area that the device can monitor; use a subclass.
///
/// Two regions are equal if their identifiers are equal, since a manager monitors one region with an identifier. Use
/// ``CLCircularRegion`` for a circle, and ``CLBeaconRegion`` for the surroundings of beacons. In new code, prefer
/// ``CLMonitor``.
open class CLRegion: NSObject, NSCopying, NSSecureCoding {
    private let storedIdentifier: String

    /// Creates a region without an area, with an empty identifier.
    public override init() {
        self.storedIdentifier = ""
        super.init()
    }

    /// Creates a region with an identifier.
    package init(identifier: String) {
        self.storedIdentifier = identifier
        super.init()
    }

    /// The identifier of the region, unique in the app.
    open var identifier: String { self.storedIdentifier }
    /// A Boolean value that indicates whether the delegate receives an event when the device enters the region.
    ///
    /// The default is `true`. Set it before you start monitoring the region.
    open var notifyOnEntry = true
    /// A Boolean value that indicates whether the delegate receives an event when the device leaves the region.
    ///
    /// The default is `true`. Set it before you start monitoring the region.
    open var notifyOnExit = true

    /// Returns whether another object is a region with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == self.identifier
    }

    /// A hash value of the identifier.
    open override var hash: Int { self.identifier.hashValue }

    /// A textual representation of the region.
    open override var description: String { "CLRegion (identifier:'\(self.identifier)')" }

    /// Returns a copy of the region.
    open func copy(with zone: NSZone? = nil) -> Any {
        self.withNotifications(of: self, CLRegion(identifier: self.identifier))
    }

    func withNotifications<Region: CLRegion>(of other: CLRegion, _ region: Region) -> Region {
        region.notifyOnEntry = other.notifyOnEntry
        region.notifyOnExit = other.notifyOnExit
        return region
    }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a region from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
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
