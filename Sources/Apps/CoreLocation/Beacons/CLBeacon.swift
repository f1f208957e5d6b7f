public import Foundation

/// A beacon in range of the device.
///
/// Beacons arrive in ``CLLocationManagerDelegate/locationManager(_:didRange:satisfying:)``.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding {
    private let fields: Fields

    /// The values of a beacon; the defaults are those of a beacon that is not received.
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

    /// Creates a beacon whose values are invalid, with the current time.
    public override init() {
        self.fields = Fields(uuid: BeaconIdentity.nothing.uuid)
        super.init()
    }

    /// Creates a beacon; apps receive beacons from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The UUID of the beacon.
    open var uuid: UUID { self.fields.uuid }
    /// The UUID of the beacon.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { self.uuid }
    /// The major number of the beacon, which apps use for a group of beacons.
    open var major: NSNumber { NSNumber(value: self.fields.major) }
    /// The minor number of the beacon, which apps use for one beacon of a group.
    open var minor: NSNumber { NSNumber(value: self.fields.minor) }
    /// The approximate distance of the beacon.
    open var proximity: CLProximity { self.fields.proximity }
    /// The estimated distance of the beacon, in meters; negative if it is unknown.
    ///
    /// Use it to compare beacons of equal proximity, not to find the beacon's place.
    open var accuracy: CLLocationAccuracy { self.fields.accuracy }
    /// The mean signal strength since the last report, in decibels (dBm); 0 if the beacon was not received.
    open var rssi: Int { self.fields.rssi }
    /// The time at which the beacon was received last.
    open var timestamp: Date { self.fields.timestamp }

    /// A textual representation of the beacon.
    open override var description: String {
        let distance = String(format: "proximity:%ld +/- %.2fm", self.proximity.rawValue, self.accuracy)
        return "CLBeacon (uuid:\(self.uuid), major:\(self.major), minor:\(self.minor), \(distance), "
            + "rssi:\(self.rssi), timestamp:\(self.timestamp))"
    }

    /// Returns the beacon itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a beacon from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
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
