extension DeviceProfile {
    /// The system of a device: the differences that Apple's documents and reports from devices describe.
    ///
    /// All other behaviour is the same everywhere. The classes that iOS 17 lacks exist here, because `#available(iOS 18, *)` is always
    /// true on Linux: to test the code that an app runs on iOS 17, let the test choose that code.
    public struct System: Sendable, Hashable {
        /// The system's name for people.
        public var name: String
        /// Whether reading live updates, or a monitor's events, asks for authorization.
        ///
        /// Since iOS 18, the reader implicitly holds a service session. On iOS 17, only a `CLLocationManager` asks, and the
        /// Info.plist's key for explicit sessions has no effect (WWDC24 10212, "What's new in location authorization").
        public var asksWhenReading = true
        /// Whether Always needs a `CLServiceSession` while the app is not in use.
        ///
        /// "Starting this year, Always authorization will only be effective when you hold one of these" (WWDC24 10212, of iOS 18).
        public var alwaysNeedsSession = true
        /// Whether live updates say why there is no position.
        ///
        /// On iOS 17, an update has a location, which may be nil, and `isStationary` (WWDC23 10180, "Discover streamlined
        /// location updates"). The other properties exist since iOS 18 (WWDC24 10212); they are false if this is false.
        public var hasDiagnostics = true
        /// Whether live updates deliver approximate positions to apps with reduced accuracy.
        ///
        /// Observed: on iOS 17 there was no update at all (twocentstudios, "Core Location Modern API Tips", 2024).
        public var hasApproximateUpdates = true
        /// The quirks that a device with the system has from the start.
        ///
        /// ``Quirk`` names the iOS version if the report does.
        public var quirks: Set<Quirk> = []

        /// Creates a system that behaves as locationd does.
        ///
        /// - Parameter name: the system's name for people.
        public init(name: String) { self.name = name }

        /// The first system with live updates and monitors.
        public static let iOS17: System = {
            var system = System(name: "iOS 17")
            system.asksWhenReading = false
            system.alwaysNeedsSession = false
            system.hasDiagnostics = false
            system.hasApproximateUpdates = false
            return system
        }()
        /// The first system with service sessions and diagnostics, with what was observed on iOS 18.1.
        public static let iOS18: System = {
            var system = System(name: "iOS 18")
            system.quirks = [.beginsUnavailable, .endsSecondLoop]
            return system
        }()
        /// The system of 2025; no difference from Apple's documents is certain.
        ///
        /// A plugin got the exit of each region that it began to monitor, and its author did not know whether iOS 26 was the cause
        /// (ChunkyTofuStudios/native_geofence#37): the virtual device does not do that.
        public static let iOS26 = System(name: "iOS 26")
        /// Linux with locationd, which does what Apple documents for its newest systems.
        public static let linux = System(name: "Linux")
    }

    /// A phone with iOS 17.
    public static let iOS17 = DeviceProfile.phone.running(.iOS17)
    /// A phone with iOS 18.
    public static let iOS18 = DeviceProfile.phone.running(.iOS18)
    /// A phone with iOS 26.
    public static let iOS26 = DeviceProfile.phone.running(.iOS26)
    /// A phone with Linux: ``phone``.
    public static let linux = DeviceProfile.phone.running(.linux)

    /// A phone with each system, for `@Test(arguments: DeviceProfile.systems)`.
    public static let systems: [DeviceProfile] = [.iOS17, .iOS18, .iOS26, .linux]

    /// Returns the device with another system.
    ///
    /// - Parameter system: the system.
    /// - Returns: the profile, with the system's name added to its own.
    public func running(_ system: System) -> DeviceProfile {
        var profile = self
        profile.name = "\(self.name), \(system.name)"
        profile.system = system
        return profile
    }
}
