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
        /// Coarse programs cost little, are good to about 100 m, and are preferred while that suffices.
        case program(path: String, isCoarse: Bool = false)
        /// A position that the owner gives, of a device that does not move.
        case fixed(FixedPosition)
        /// A recording that is played.
        case replay(path: String, Playback.Settings = .init())
    }

    /// The push gateway the device keeps a connection to.
    public struct GatewayAddress: Sendable, Hashable {
        /// The gateway's name or address.
        public var host: String
        /// The port of its device side.
        public var port: Int
        /// The certificates to trust, PEM; nil: the system's.
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
    /// The socket that scanners of beacons connect to (`docs/beacons.md`); nil: the device receives none.
    public var beaconFeed: String?
    /// The socket at which programs read positions as sentences of NMEA 0183; nil: there is none.
    public var nmeaSocket: String?
    /// The users, besides locationd's own and root, whose programs may read there.
    public var nmeaReaders: Set<UInt32>
    /// The push gateway; nil: no location pushes.
    public var gateway: GatewayAddress?
    /// The address of a Nominatim-compatible geocoding server, over https unless it is on this machine; nil: none.
    public var geocoder: String?
    /// The launcher of apps and extensions.
    public var launcherPath: String
    /// The numbers the engine decides by.
    public var policy: Policy
    /// The rules of the device's owner (``ManagementFile``); nil: there are none.
    public var managementPath: String?
    /// The directory of this service's credentials from systemd (`$CREDENTIALS_DIRECTORY`); nil: there are none.
    public var credentialsDirectory: String?
    /// The parent cgroup (v2) of the apps' cgroups: `own` for locationd's own, `none`, or a directory.
    public var cgroupDirectory: String
    /// The listening sockets that the service manager opened, by ``socketNames``; locationd creates the others.
    public var sockets: [String: Int32]
    /// The numbers of the users that apps run as, one each, which needs root; nil: they run as locationd does.
    public var appUsers: ClosedRange<UInt32>?
    /// The number of the group whose members give orders and answer for people, besides locationd's own user; nil:
    /// nobody else.
    public var ownersGroup: UInt32?
    /// Whether polkit is asked about users who are in no owners' group.
    public var asksPolkit: Bool
    /// The program that asks polkit.
    public var pkcheckPath = "/usr/bin/pkcheck"

    /// The capabilities of a device with any source of positions, by Apple's names (`UIRequiredDeviceCapabilities`).
    static let capabilities: Set<String> = ["location-services", "gps"]

    /// The names of the sockets that the service manager may open: of apps, of `locationctl`, of agents, and of brokers.
    public static let socketNames: Set<String> = ["apps", "control", "agent", "broker"]

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
