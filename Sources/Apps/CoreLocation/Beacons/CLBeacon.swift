public import Foundation

/// A beacon that is received.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding {
    private let fields: Fields

    /// The values of a beacon; the defaults say that it is not received.
    package struct Fields: Sendable {
        package var uuid: UUID
        package var major: CLBeaconMajorValue = 0
        package var minor: CLBeaconMinorValue = 0
        package var proximity = CLProximity.unknown
        package var accuracy: CLLocationAccuracy = -1
        package var rssi = 0
        package var timestamp = Date()

        package init(uuid: UUID) {
            self.uuid = uuid
        }
    }

    /// Creates a beacon that nobody receives.
    public override init() {
        self.fields = Fields(uuid: BeaconIdentity.nothing.uuid)
        super.init()
    }

    /// Creates a beacon; apps get theirs from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The UUID of the app that it belongs to.
    open var uuid: UUID { self.fields.uuid }
    /// The UUID of the app that it belongs to.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { self.uuid }
    /// The number of its group.
    open var major: NSNumber { NSNumber(value: self.fields.major) }
    /// Its number in the group.
    open var minor: NSNumber { NSNumber(value: self.fields.minor) }
    /// How near it is.
    open var proximity: CLProximity { self.fields.proximity }
    /// About how many metres away it is; negative when that is not known.
    open var accuracy: CLLocationAccuracy { self.fields.accuracy }
    /// The strength received since the last report, in dBm; 0 when it was not received.
    open var rssi: Int { self.fields.rssi }
    /// When it was received.
    open var timestamp: Date { self.fields.timestamp }

    /// A text for people.
    open override var description: String {
        let distance = String(format: "proximity:%ld +/- %.2fm", self.proximity.rawValue, self.accuracy)
        return "CLBeacon (uuid:\(self.uuid), major:\(self.major), minor:\(self.minor), \(distance), "
            + "rssi:\(self.rssi), timestamp:\(self.timestamp))"
    }

    /// Returns the beacon itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a beacon from an archive.
    public required init?(coder: NSCoder) {
        guard let fields = coder.read(Fields.init(from:)) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the beacon to an archive.
    open func encode(with coder: NSCoder) {
        let fields = self.fields
        BeaconIdentity(uuid: fields.uuid, major: fields.major, minor: fields.minor).write(to: coder)
        coder.write(Double(fields.proximity.rawValue), "proximity")
        coder.write(fields.accuracy, "accuracy")
        coder.write(Double(fields.rssi), "rssi")
        coder.write(fields.timestamp, "timestamp")
    }
}

extension CLBeacon.Fields {
    fileprivate init(from coder: NSCoder) throws {
        let identity = try BeaconIdentity(from: coder)
        self.init(uuid: identity.uuid)
        self.major = identity.major ?? 0
        self.minor = identity.minor ?? 0
        self.proximity = CLProximity(rawValue: try coder.integer("proximity")) ?? .unknown
        self.accuracy = try coder.number("accuracy")
        self.rssi = try coder.integer("rssi")
        self.timestamp = try coder.date("timestamp")
    }
}
