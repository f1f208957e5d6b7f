public import Foundation

/// The direction that the device points to, as its magnetometer measures it.
open class CLHeading: NSObject, NSCopying, NSSecureCoding {
    private let fields: Fields

    /// The values of a heading, by default unknown.
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

    /// Creates a heading whose values are invalid, with the current time.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    /// Creates a heading; apps receive headings from a location manager.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// The heading relative to magnetic north, in degrees from 0 up to 360.
    ///
    /// It is invalid while ``headingAccuracy`` is negative.
    open var magneticHeading: CLLocationDirection { self.fields.magneticHeading }
    /// The heading relative to true north, in degrees from 0 up to 360; negative if it is invalid.
    ///
    /// It is valid while the app receives its location.
    open var trueHeading: CLLocationDirection { self.fields.trueHeading }
    /// The largest deviation of the magnetic heading, in degrees; negative if the heading is invalid.
    ///
    /// A negative value can mean that the compass is disturbed.
    open var headingAccuracy: CLLocationDirection { self.fields.headingAccuracy }
    /// The magnetic field along the x-axis, to the right of the device, in microteslas.
    open var x: CLHeadingComponentValue { self.fields.x }
    /// The magnetic field along the y-axis, to the top of the device, in microteslas.
    open var y: CLHeadingComponentValue { self.fields.y }
    /// The magnetic field along the z-axis, out of the device's screen, in microteslas.
    open var z: CLHeadingComponentValue { self.fields.z }
    /// The time of the measurement.
    open var timestamp: Date { self.fields.timestamp }

    /// A textual representation of the heading.
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

    /// Returns the heading itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a heading from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
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
    /// The plain numbers, in the form in which they are archived.
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
