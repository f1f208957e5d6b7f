internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources

/// The facts that locationd knows of itself and of the machine; ``Diagnosis`` judges them.
struct DeviceFacts: Sendable, Hashable {
    struct Source: Sendable, Hashable {
        var source: DaemonConfiguration.Source
        /// The state of its receiver; nil: the source has none, such as a recording.
        var condition: ReceiverHealth.Condition?
    }

    /// The service manager that starts locationd, and starts it again.
    enum Supervision: Sendable, Hashable {
        case none
        /// A service of the machine.
        case system
        /// A user's service, which may continue without a session.
        case user(String, lingers: Bool)
    }

    /// The directory that has to survive a restart.
    struct State: Sendable, Hashable {
        var path: String
        /// Nil: not known.
        var bytesFree: Int?
        /// Whether a restart of the machine deletes it.
        var isInMemory: Bool
        /// The directory inside it that others can change; nil: there is none.
        var fault: OwnDirectory.Fault?
        /// Why the newest state was not saved; nil: it was.
        var unsavedReason: String?
        /// Whether a credential of the service manager seals its keys.
        var isSealedByCredential: Bool
    }

    /// An installed app that is not served.
    struct BrokenApp: Sendable, Hashable {
        var bundle: String
        var reason: String
    }

    /// An app that accepts location pushes but answers none at present.
    struct SilentApp: Sendable, Hashable {
        var bundle: String
        /// The first condition for an answer that is not met.
        var check: PushCheck
        /// Whether the app lost its session, or took one in the background, so that a person must open it to share again.
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
        /// Whether a person or the device's owner denied the readers.
        var isDenied: Bool
        /// Whether the readers may know the precise position.
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
    /// The directory of the sockets, or one on the path to it, that others can change; nil: there is none.
    var runtimeFault: OwnDirectory.Fault?
    /// Why the newest lines of the log are not on disk; nil: they are.
    var logFault: String?
    /// Nil: there is none.
    var nmeaSocket: NMEASocket?
    var isRoot: Bool
    /// The users that apps run as; nil: locationd's own user.
    var appUsers: ClosedRange<UInt32>?
    /// The installed apps that would find no user free.
    var appsWithoutUser = 0
    /// Whether apps can reach a gpsd directly; nil: unknown, or there is none.
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
    /// Whether polkit can be asked about owners.
    var polkit: PolkitCoordinator.State
    var supervision: Supervision
    /// Whether apps are frozen and ended by a cgroup of their own.
    var hasCgroups: Bool
    /// Whether a time server or a receiver sets the machine's clock; nil: unknown.
    var isClockKept: Bool?
}
