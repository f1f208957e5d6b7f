internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources

/// Facts about locationd and the machine, for ``Diagnosis`` to judge.
struct DeviceFacts: Sendable, Hashable {
    struct Source: Sendable, Hashable {
        var source: DaemonConfiguration.Source
        /// The state of the source's receiver; nil: the source has none, such as a recording.
        var condition: ReceiverHealth.Condition?
    }

    /// The service manager that starts and restarts locationd.
    enum Supervision: Sendable, Hashable {
        case none
        /// A service of the machine.
        case system
        /// A user's service; `lingers`: it continues after the user has logged out.
        case user(String, lingers: Bool)
    }

    /// The state directory, which must survive a restart.
    struct State: Sendable, Hashable {
        var path: String
        /// Nil: not known.
        var bytesFree: Int?
        /// Whether hardly another file can be created (``DiskShare/filesFreeMin``).
        var isShortOfFiles = false
        /// Whether a restart of the machine deletes the directory.
        var isInMemory: Bool
        /// The first directory in the state directory, or on the path to it, that other users can change; nil: there is
        /// no such directory.
        var fault: OwnDirectory.Fault?
        /// Why the newest state was not saved; nil if it was saved.
        var unsavedReason: String?
        /// Whether a systemd credential seals the files in the directory.
        var isSealedByCredential: Bool
    }

    /// An installed app that locationd does not start, because its files cannot be read.
    struct BrokenApp: Sendable, Hashable {
        var bundle: String
        var reason: String
    }

    /// An app that accepts location pushes, but does not answer them at present.
    struct SilentApp: Sendable, Hashable {
        var bundle: String
        /// The first unmet condition for an answer.
        var check: PushCheck
        /// Whether a person must open the app to share again, because it lost its session, or started one in the background.
        var needsOpening: Bool
        var remedy: String
    }

    /// The socket at which programs read NMEA 0183.
    struct NMEASocket: Sendable, Hashable {
        var path: String
        /// Why no further program can find the socket; nil: programs can find it.
        var fault: String?
        /// The number of programs that read.
        var readers: Int
        /// Whether a person or the device's owner denied the readers the location.
        var isDenied: Bool
        /// Whether the readers may receive the precise position.
        var isPrecise: Bool
    }

    var areServicesOn: Bool
    /// In the order of preference.
    var sources: [Source]
    /// The push gateway's address; nil: no gateway is configured.
    var gateway: String?
    var gatewayState: GatewayState
    /// The number of installed apps that accept location pushes.
    var appsWithPushes: Int
    var brokenApps: [BrokenApp]
    var silentApps: [SilentApp] = []
    /// The number of agents that show prompts to people.
    var agents: Int
    /// Whether a prompt waits for a person.
    var isAsking: Bool
    var state: State
    /// The directory of the sockets, or a directory on the path to it, that other users can change; nil: there is no such directory.
    var runtimeFault: OwnDirectory.Fault?
    /// Why the newest lines of the log are not on disk; nil if they are on disk.
    var logFault: String?
    /// The socket for readers of NMEA 0183; nil if there is none.
    var nmeaSocket: NMEASocket?
    var isRoot: Bool
    /// The users that apps run as; nil: locationd's own user.
    var appUsers: ClosedRange<UInt32>?
    /// The number of installed apps without a free user.
    var appsWithoutUser = 0
    /// Whether apps can connect to a gpsd directly; nil: there is no gpsd, or it was not tried.
    var appsReachGPSD: Bool?
    /// Whether apps can read the shared memory in which gpsd publishes positions.
    var appsReadGPSDMemory = false
    /// The ways to gpsd's positions that locationd could not try as an app's user.
    var untriedWays: [String] = []
    /// Whether an upgrade replaced the program file since this process started.
    var isReplaced = false
    /// The ports of this machine's gpsds to try.
    var gpsdPorts: [UInt16] {
        self.sources.compactMap { source in
            guard case .gpsd(let host, let port) = source.source, ["localhost", "127.0.0.1", "::1"].contains(host)
            else { return nil }
            return UInt16(exactly: port)
        }
    }
    /// Whether polkit is used for owners, and works.
    var polkit: PolkitCoordinator.State
    var supervision: Supervision
    /// Whether cgroups freeze and end apps.
    var hasCgroups: Bool
    /// Whether a time server or a receiver sets the machine's clock; nil: unknown.
    var isClockKept: Bool?
}
