public import Foundation

/// Where the top of a device points, from its magnetometer.
open class CLHeading: NSObject, NSCopying, NSSecureCoding {
    private let fields: Fields

    /// The values of a heading; the defaults say that nothing is known.
    package struct Fields: Sendable, Hashable {
        package var magneticHeading: CLLocationDirection = -1
        package var trueHeading: CLLocationDirection = -1
        package var headingAccuracy: CLLocationDirection = -1
        package var x: CLHeadingComponentValue = 0
        package var y: CLHeadingComponentValue = 0
        package var z: CLHeadingComponentValue = 0
        package var timestamp = Date()

        package init() {}
    }

    /// Creates a heading that is not known, now.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    /// Creates a heading; apps get theirs from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// Degrees from magnetic north, 0..<360; meaningless while ``headingAccuracy`` is negative.
    open var magneticHeading: CLLocationDirection { self.fields.magneticHeading }
    /// Degrees from true north, 0..<360; negative while the location is not known.
    open var trueHeading: CLLocationDirection { self.fields.trueHeading }
    /// How far ``magneticHeading`` may be off, in degrees; negative when it is invalid.
    open var headingAccuracy: CLLocationDirection { self.fields.headingAccuracy }
    /// The magnetic field to the right of the device, in microteslas.
    open var x: CLHeadingComponentValue { self.fields.x }
    /// The magnetic field to the top of the device, in microteslas.
    open var y: CLHeadingComponentValue { self.fields.y }
    /// The magnetic field out of the device's face, in microteslas.
    open var z: CLHeadingComponentValue { self.fields.z }
    /// When the heading was measured.
    open var timestamp: Date { self.fields.timestamp }

    /// A text for people.
    open override var description: String {
        let heading = String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f x %+.3f y %+.3f z %+.3f",
            self.magneticHeading,
            self.trueHeading,
            self.headingAccuracy,
            self.x,
            self.y,
            self.z
        )
        return "\(heading) @ \(self.timestamp)"
    }

    /// Returns the heading itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a heading from an archive.
    public required init?(coder: NSCoder) {
        guard let fields = coder.read(Fields.init(from:)) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the heading to an archive.
    open func encode(with coder: NSCoder) {
        for (key, value) in Fields.numbers { coder.write(self.fields[keyPath: value], key) }
        coder.write(self.fields.timestamp, "timestamp")
    }
}

extension CLHeading.Fields {
    /// The plain numbers, as they are archived.
    fileprivate static var numbers: [(key: String, value: WritableKeyPath<Self, Double>)] {
        [
            ("magneticHeading", \.magneticHeading), ("trueHeading", \.trueHeading),
            ("headingAccuracy", \.headingAccuracy), ("x", \.x), ("y", \.y), ("z", \.z),
        ]
    }

    fileprivate init(from coder: NSCoder) throws {
        self.init()
        for (key, value) in Self.numbers { self[keyPath: value] = try coder.number(key) }
        self.timestamp = try coder.date("timestamp")
    }
}
