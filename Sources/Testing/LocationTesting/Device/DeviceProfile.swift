/// A kind of device: its time to the first position, its accuracy, and its system.
public struct DeviceProfile: Sendable {
    /// The profile's name for people.
    public var name: String
    /// The time from the receiver's start to its first position.
    public var timeToFirstFix: Duration
    /// The standard error of the receiver's positions in metres.
    public var accuracy: Double
    /// Whether the device has a compass.
    public var hasCompass: Bool
    /// Whether the device receives beacons.
    public var hasScanner: Bool
    /// Whether positions are smoothed, as locationd does.
    ///
    /// Usually false: a test that sets the position expects its apps to receive that position.
    public var takesNoiseOut: Bool
    /// The device's system, by default Linux with locationd.
    public var system: System

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - name: the profile's name for people.
    ///   - timeToFirstFix: how long the receiver searches.
    ///   - accuracy: the standard error of its positions in metres, greater than zero.
    ///   - hasCompass: whether the device has a compass.
    ///   - hasScanner: whether the device receives beacons.
    ///   - takesNoiseOut: whether the noise of its receiver is removed from the positions.
    ///   - system: the device's system.
    public init(
        name: String,
        timeToFirstFix: Duration,
        accuracy: Double,
        hasCompass: Bool = false,
        hasScanner: Bool = false,
        takesNoiseOut: Bool = false,
        system: System = .linux
    ) {
        self.name = name
        self.timeToFirstFix = timeToFirstFix
        self.accuracy = accuracy
        self.hasCompass = hasCompass
        self.hasScanner = hasScanner
        self.takesNoiseOut = takesNoiseOut
        self.system = system
    }

    // A receiver that was on recently starts hot and needs 1 s. After hours it starts warm and needs
    // 2…26 s (u-blox M8 data sheet, "Time-To-First-Fix"). Errors: GPS.gov, "GPS accuracy", 4.9 m for phones.

    /// A phone: first position within a second, 5 m, with a compass and a scanner of beacons.
    public static let phone = DeviceProfile(
        name: "phone",
        timeToFirstFix: .seconds(1),
        accuracy: 5,
        hasCompass: true,
        hasScanner: true
    )
    /// A vehicle with an antenna on its roof: first position within two seconds, 3 m.
    public static let vehicle = DeviceProfile(name: "vehicle", timeToFirstFix: .seconds(2), accuracy: 3)
    /// A box in a window, whose receiver starts cold: first position within 26 s, 8 m.
    public static let box = DeviceProfile(name: "box", timeToFirstFix: .seconds(26), accuracy: 8)
}
