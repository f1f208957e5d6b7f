internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources

/// The facts that locationd knows of itself and of the machine; ``Diagnosis`` judges them.
struct DeviceFacts: Sendable, Hashable {
    struct Source: Sendable, Hashable {
        var source: DaemonConfiguration.Source
        /// The state of its receiver; nil: it has none, such as a recording.
        var condition: ReceiverHealth.Condition?
    }

    /// The service manager that starts locationd, and starts it again.
    enum Supervision: Sendable, Hashable {
        case none
        /// A service of the machine's.
        case system
        /// A service of a user's, which goes on without a session or does not.
        case user(String, lingers: Bool)
    }

    /// The directory that has to survive a restart.
    struct State: Sendable, Hashable {
        var path: String
        /// Nil: not known.
        var bytesFree: Int?
        /// Whether a restart of the machine empties it.
        var isInMemory: Bool
        /// The directory in it that others may change; nil: nobody may.
        var fault: OwnDirectory.Fault?
        /// Why the newest state was not saved; nil: it was.
        var unsavedReason: String?
        /// Whether a credential of the service manager's seals the keys in it.
        var isSealedByCredential: Bool
    }

    /// An installed app that is not served.
    struct BrokenApp: Sendable, Hashable {
        var bundle: String
        var reason: String
    }

    /// An app that takes location pushes and answers none now.
    struct SilentApp: Sendable, Hashable {
        var bundle: String
        /// The first condition for an answer that is not met.
        var check: PushCheck
        /// Whether it lost its session, or took it in the background, and shares again once it is opened.
        var needsOpening: Bool
        var remedy: String
    }

    /// The socket at which programs read NMEA 0183.
    struct NMEASocket: Sendable, Hashable {
        var path: String
        /// Why no further program finds it; nil: it is found.
        var fault: String?
        /// The number of programs that read.
        var readers: Int
        /// Whether a person, or the device's owner, has them told nothing.
        var isDenied: Bool
        /// Whether they are told precisely, if they are.
        var isPrecise: Bool
    }

    var areServicesOn: Bool
    /// In the order of preference.
    var sources: [Source]
    /// The push gateway's address; nil: none is named.
    var gateway: String?
    var gatewayState: GatewayState
    /// The installed apps that take location pushes.
    var appsWithPushes: Int
    var brokenApps: [BrokenApp]
    var silentApps: [SilentApp] = []
    /// The number of agents that show questions to people.
    var agents: Int
    /// Whether a question waits for a person.
    var isAsking: Bool
    var state: State
    /// The directory of the sockets, or one on the way there, that others may change; nil: nobody may.
    var runtimeFault: OwnDirectory.Fault?
    /// Why the newest lines of the log are not on disk; nil: they are.
    var logFault: String?
    /// Nil: there is none.
    var nmeaSocket: NMEASocket?
    var isRoot: Bool
    /// The users that apps run as; nil: the one that locationd runs as.
    var appUsers: ClosedRange<UInt32>?
    /// The installed apps that would find no user free.
    var appsWithoutUser = 0
    /// Whether apps reach a gpsd past locationd; nil: not known, or there is none.
    var appsReachGPSD: Bool?
    /// Whether apps can read the shared memory in which gpsd publishes positions.
    var appsReadGPSDMemory = false
    /// Whether an upgrade replaced the program file since this process started.
    var isReplaced = false
    /// The ports of this machine at which gpsds are asked.
    var gpsdPorts: [UInt16] {
        self.sources.compactMap { source in
            guard case .gpsd(let host, let port) = source.source, ["localhost", "127.0.0.1", "::1"].contains(host)
            else { return nil }
            return UInt16(exactly: port)
        }
    }
    /// The way that polkit can be asked who gives orders.
    var polkit: PolkitCoordinator.State
    var supervision: Supervision
    /// Whether apps are frozen and ended by a cgroup of their own.
    var hasCgroups: Bool
    /// Whether the machine's clock is kept by a time server or a receiver; nil: not known.
    var isClockKept: Bool?
}
