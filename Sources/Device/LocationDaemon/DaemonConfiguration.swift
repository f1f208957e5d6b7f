public import WhereaboutsLocationEngine
public import WhereaboutsLocationSources

/// The configuration that locationd starts with.
public struct DaemonConfiguration: Sendable {
    /// A source of fixes.
    public enum Source: Sendable, Hashable {
        /// A gpsd, by its JSON protocol.
        case gpsd(host: String, port: Int)
        /// A gpsd, by the same protocol at a stream socket in the file system.
        case gpsdSocket(path: String)
        /// A receiver that speaks NMEA 0183.
        case nmea(ReceiverAddress)
        /// A program that connects to a socket at this path and reports positions (`docs/sources.md`).
        ///
        /// Coarse programs need little energy, are accurate to about 100 m, and are preferred while that suffices.
        case program(path: String, isCoarse: Bool = false)
        /// The position of a device that does not move, as the owner gives it.
        case fixed(FixedPosition)
        /// A recording that is played.
        case replay(path: String, Playback.Settings = .init())
    }

    /// The push gateway the device keeps a connection to.
    public struct GatewayAddress: Sendable, Hashable {
        /// The gateway's name or address.
        public var host: String
        /// The gateway's port for devices.
        public var port: Int
        /// The PEM file of trusted certificates; nil: the system's certificates.
        public var trustRootsPath: String?

        var words: String { "\(self.host):\(self.port)" }

        /// Creates the address of a gateway.
        public init(host: String, port: Int, trustRootsPath: String?) {
            self.host = host
            self.port = port
            self.trustRootsPath = trustRootsPath
        }
    }

    /// The directory that must survive a restart, mode 0700: apps, containers, decisions, keys.
    public var stateDirectory: String
    /// The directory of the sockets.
    public var runtimeDirectory: String
    /// The sources of the device's fixes, in order of preference; at least one.
    public var sources: [Source]
    /// The socket that beacon scanners connect to (`docs/beacons.md`); nil: the device receives no beacons.
    public var beaconFeed: String?
    /// The socket at which programs read positions as NMEA 0183 sentences; nil: there is no such socket.
    public var nmeaSocket: String?
    /// The users whose programs may read from ``nmeaSocket``, besides root and locationd's user.
    public var nmeaReaders: Set<UInt32>
    /// The push gateway; nil: no location pushes.
    public var gateway: GatewayAddress?
    /// The address of a Nominatim-compatible geocoding server, over https unless it is on this machine; nil: no geocoding.
    public var geocoder: String?
    /// The path of `location-launch`, which starts apps and extensions.
    public var launcherPath: String
    /// The numbers that the engine decides by.
    public var policy: Policy
    /// The file of the owner's rules (``ManagementFile``); nil: there are no rules.
    public var managementPath: String?
    /// The directory of systemd's credentials for this service (`$CREDENTIALS_DIRECTORY`); nil: there are no credentials.
    public var credentialsDirectory: String?
    /// The parent of apps' cgroups (v2): `own` for locationd's own cgroup, `none`, or a directory.
    public var cgroupDirectory: String
    /// The listening sockets that the service manager opened, by ``socketNames``; locationd creates the others.
    public var sockets: [String: Int32]
    /// The user IDs that apps run as, one for each app, which needs root; nil: apps run as locationd's user.
    public var appUsers: ClosedRange<UInt32>?
    /// The number of the group whose members give orders and answer prompts, besides locationd's own user; nil: there
    /// is no such group.
    public var ownersGroup: UInt32?
    /// Whether polkit is asked about users who are not in the owners' group.
    public var asksPolkit: Bool
    /// The program that asks polkit.
    public var pkcheckPath = "/usr/bin/pkcheck"

    /// The capabilities of a device with any source of positions, by Apple's names (`UIRequiredDeviceCapabilities`).
    static let capabilities: Set<String> = ["location-services", "gps"]

    /// The names of the sockets that the service manager may open: for apps, `locationctl`, agents, and brokers.
    public static let socketNames: Set<String> = ["apps", "control", "agent", "broker"]

    /// The owner's rules, for people.
    var rules: String { self.managementPath ?? "the rules" }

    var cgroup: CgroupTree.Choice {
        switch self.cgroupDirectory {
        case "own": .own
        case "none": .disabled
        default: .at(self.cgroupDirectory)
        }
    }

    /// Creates a configuration.
    public init(
        stateDirectory: String,
        runtimeDirectory: String,
        sources: [Source],
        beaconFeed: String? = nil,
        nmeaSocket: String? = nil,
        nmeaReaders: Set<UInt32> = [],
        gateway: GatewayAddress?,
        geocoder: String? = nil,
        launcherPath: String,
        policy: Policy,
        managementPath: String? = nil,
        credentialsDirectory: String? = nil,
        cgroupDirectory: String = "own",
        sockets: [String: Int32] = [:],
        appUsers: ClosedRange<UInt32>? = nil,
        ownersGroup: UInt32? = nil,
        asksPolkit: Bool = false
    ) {
        self.stateDirectory = stateDirectory
        self.runtimeDirectory = runtimeDirectory
        self.sources = sources
        self.beaconFeed = beaconFeed
        self.nmeaSocket = nmeaSocket
        self.nmeaReaders = nmeaReaders
        self.gateway = gateway
        self.geocoder = geocoder
        self.launcherPath = launcherPath
        self.policy = policy
        self.managementPath = managementPath
        self.credentialsDirectory = credentialsDirectory
        self.cgroupDirectory = cgroupDirectory
        self.sockets = sockets
        self.appUsers = appUsers
        self.ownersGroup = ownersGroup
        self.asksPolkit = asksPolkit
    }
}
