internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationDaemon
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWire
internal import WhereaboutsOptionFiles
internal import WhereaboutsVocabulary

@main
struct LocationdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd",
        abstract: "Serve Core Location: decide who may know the device's location, and answer location pushes.",
        discussion: """
            Fixes come from gpsd (the default, at localhost:2947), from receivers that speak NMEA 0183 (--nmea), from \
            your own programs (--program), from a fixed position (--at), or from a recording: GPX, NMEA 0183 or gpsd's \
            JSON (--replay). The first source that delivers counts: gpsd, then --nmea, --program, --coarse and --at, in the order given \
            (--coarse first while 100 m are enough); the next one runs when all before it fail. Location pushes need a push gateway (--gateway). Talk to a running \
            locationd with locationctl.

            Prints `listening <directory of its sockets>` once apps can connect, and notifies systemd. SIGTERM stops it. SIGHUP \
            makes it read the file of --management again.

            Each option can also be set in a file (--config) or in the environment: LOCATIOND_LOG_LEVEL=debug, LOCATIOND_POLKIT=true. \
            The command line overrides the environment, which overrides files.

            Exit status: 0 stopped by a signal, 1 could not start, 64 wrong usage.
            """,
        version: Release.version
    )

    @Option(
        help: ArgumentHelp(
            """
            File of options in TOML, such as gpsd = "localhost:2947"; the last file overrides earlier ones. With a hyphen in front, \
            as in --config=-/etc/locationd.toml, the file may be missing.
            """,
            valueName: "file"
        )
    )
    var config: [String] = []

    @Option(
        help: ArgumentHelp(
            "Directory of apps, containers, decisions and keys [/var/lib/locationd, or ~/.local/state/locationd].",
            valueName: "directory"
        )
    )
    var state: String?

    @Option(
        help: ArgumentHelp(
            "Directory of the sockets [/run/locationd, or locationd in $XDG_RUNTIME_DIR].",
            valueName: "directory"
        )
    )
    var runtime: String?

    @Option(
        help: ArgumentHelp(
            """
            Address of gpsd [localhost:2947], or the path of a socket on which it speaks its JSON protocol. /run/gpsd.sock is not \
            such a socket: it accepts only commands.
            """,
            valueName: "host:port|path"
        ),
        transform: Endpoint.gpsd
    )
    var gpsd: DaemonConfiguration.Source?

    @Option(
        help: ArgumentHelp(
            """
            Receiver that speaks NMEA 0183: host:port (TCP), listen://:port, udp://:port, a serial line such as \
            /dev/serial/by-id/… (locationd finds its speed), a pipe, or - for standard input. Repeatable.
            """,
            valueName: "address"
        ),
        transform: Endpoint.receiver
    )
    var nmea: [ReceiverAddress] = []

    @Option(
        help: ArgumentHelp(
            "Create a Unix socket at this path; your program connects to it and reports positions (docs/sources.md).",
            valueName: "path"
        )
    )
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Socket like that of --program, for cheap positions that are good to about 100 m, such as Wi-Fi. Used first while no app \
            needs better ones.
            """,
            valueName: "path"
        )
    )
    var coarse: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Position of a device that does not move, in degrees, and its accuracy [20]. Used while all other sources fail, or \
            alone. Write a negative latitude as --at=-33.86,151.21.
            """,
            valueName: "lat,lon[,metres]"
        ),
        transform: Endpoint.position
    )
    var at: FixedPosition?

    @Option(
        help: ArgumentHelp(
            "Create a Unix socket at this path; a beacon scanner connects to it and reports beacons (docs/beacons.md).",
            valueName: "path"
        )
    )
    var beaconFeed: String?

    @Option(
        help: ArgumentHelp(
            """
            Create a Unix socket at this path, from which up to eight programs such as GeoClue (its nmea-socket) read positions as NMEA \
            0183. Together they count as one app, for which people are asked (docs/geoclue.md).
            """,
            valueName: "path"
        )
    )
    var nmeaSocket: String?

    @Option(
        help: ArgumentHelp(
            "User whose programs may also read from --nmea-socket, such as geoclue [only this user and root].",
            valueName: "user"
        )
    )
    var nmeaReader: [String] = []

    @OptionGroup var playback: PlaybackOptions

    @Option(help: ArgumentHelp("Device port of the push gateway.", valueName: "host:port"), transform: Endpoint.parse)
    var gateway: Endpoint?

    @Option(
        help: ArgumentHelp("Certificates (PEM) that verify the gateway, instead of the system's.", valueName: "file")
    )
    var gatewayTrustRoots: String?

    @Option(
        help: ArgumentHelp(
            "Nominatim-compatible server for apps' geocoders; https, or http on this machine.",
            valueName: "url"
        )
    )
    var geocoder: String?

    @Option(help: ArgumentHelp("Launcher of apps [location-launch next to locationd].", valueName: "file"))
    var launcher: String?

    @OptionGroup(title: "Numbers of the device") var numbers: PolicyOptions

    @Option(
        help: ArgumentHelp(
            "Owner's rules, which override what people decide (docs/management.md). SIGHUP reads the file again.",
            valueName: "file"
        )
    )
    var management: String?

    @Option(
        help: ArgumentHelp(
            """
            Cgroup (v2) that is delegated to locationd, for suspending and ending apps; own: the one it runs in; none: use signals.
            """,
            valueName: "directory"
        )
    )
    var cgroup = "own"

    @Option(
        help: ArgumentHelp(
            """
            Run each app as its own user, with user IDs from this range that nobody else uses. For a locationd that runs as root and \
            serves the whole machine; 128 IDs are enough.
            """,
            valueName: "first-last"
        ),
        transform: Self.users
    )
    var appUsers: ClosedRange<UInt32>?

    @Option(
        help: ArgumentHelp(
            "Group whose members may use locationctl and answer prompts [only the user that runs locationd].",
            valueName: "group"
        )
    )
    var owners: String?

    @Flag(
        help: ArgumentHelp(
            """
            Also let polkit decide who may use locationctl and answer prompts (action org.whereabouts.location1.manage, granted to the \
            person at the seat). Needs --app-users.
            """
        )
    )
    var polkit = false

    @Option(
        help:
            "Lowest level to log: trace, debug, info, notice, warning, error. At debug and trace, the log contains exact positions."
    )
    var logLevel = "info"

    /// Runs with the options of the command line, the environment and the files.
    static func main() async {
        do {
            let layers = try LayeredArguments(
                Self.self,
                given: Array(CommandLine.arguments.dropFirst()),
                environment: ProcessInfo.processInfo.environment,
                prefix: "LOCATIOND_",
                others: [SocketPaths.descriptorVariable],
                exists: { FileManager.default.fileExists(atPath: $0) }
            )
            for variable in layers.unknownVariables {
                FileHandle.standardError.write(
                    Data(
                        "locationd: the variable \(variable) names no option; see locationd --help\n"
                            .utf8
                    )
                )
            }
            var command = try layers.parsed(as: Self.self)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as OptionFileError {
            Self.exit(withError: ValidationError("\(error)"))
        } catch {
            Self.exit(withError: error)
        }
    }

    func validate() throws {
        for (option, value) in [("--state", self.state), ("--runtime", self.runtime)] where value?.isEmpty == true {
            throw ValidationError("\(option) needs a directory; leave it out for the default")
        }
        if self.playback.replay != nil, self.gpsd != nil || self.othersCount > 0 {
            throw ValidationError("--replay cannot be combined with other sources. Remove one of the two.")
        }
        if self.othersCount >= Self.sourcesMax {
            throw ValidationError("too many sources: at most \(Self.sourcesMax) are allowed")
        }
        if self.nmea.count(where: { $0 == .standardInput }) > 1 {
            throw ValidationError("--nmea - may be given only once: there is only one standard input")
        }
        if let (path, options) = self.pathOfTwo {
            throw ValidationError("\(options) name the same socket, \(path); give each its own path")
        }
        if self.nmeaSocket?.isEmpty == true {
            throw ValidationError("--nmea-socket needs a path")
        }
        if self.nmeaSocket == nil, !self.nmeaReader.isEmpty {
            throw ValidationError("--nmea-reader needs --nmea-socket")
        }
        if self.owners?.isEmpty == true { throw ValidationError("--owners needs a group") }
        if self.polkit, self.appUsers == nil {
            throw ValidationError("--polkit needs --app-users")
        }
        if self.gateway == nil, self.gatewayTrustRoots != nil {
            throw ValidationError("--gateway-trust-roots needs --gateway")
        }
        // locationd logs nothing as critical, so that level would hide everything.
        let levels = Logger.Level.allCases.filter { $0 != .critical }.map(\.rawValue)
        guard levels.contains(self.logLevel) else {
            throw ValidationError(
                "--log-level must be one of \(levels.joined(separator: ", ")), not '\(self.logLevel)'"
            )
        }
    }

    func run() async throws {
        // Forbid core dumps before any position or key is in memory.
        guard clinux_forbid_dumps() == 0 else {
            throw CleanFailure(
                message: "locationd cannot forbid core dumps: \(unsafe String(cString: strerror(errno)))"
            )
        }
        var logger = Logger(label: "locationd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: self.logLevel) ?? .info
        // Create files that only their owner can use; the folders of apps with their own users are opened separately.
        umask(0o077)
        // Catch signals from now on: an early SIGTERM waits until there is state to save, and a closed log pipe
        // (SIGPIPE) does not end the process.
        let ends = clinux_catch_ends()
        guard ends >= 0 else {
            throw CleanFailure(
                message: "locationd cannot watch for signals: \(unsafe String(cString: strerror(errno)))"
            )
        }
        signal(SIGHUP, SIG_IGN)
        let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment, process: getpid())
        let daemon: Daemon
        do {
            var configuration = try self.daemonConfiguration()
            configuration.sockets =
                try InheritedSockets(
                    environment: ProcessInfo.processInfo.environment,
                    process: getpid(),
                    names: DaemonConfiguration.socketNames
                ).descriptors
            daemon = try Daemon(configuration, logger: logger)
            try await daemon.start()
            await daemon.adoptOrphans()
            print("listening \(Locations.runtime(self.runtime))")
            fflush(nil)
            try supervisor.serves()
        } catch let error as DaemonError {
            throw CleanFailure(message: error.description)
        } catch let error as SupervisionFailure {
            throw CleanFailure(message: error.description)
        } catch let error as InheritedSocketFailure {
            throw CleanFailure(message: error.description)
        }
        let watching = Task { [logger] in
            do {
                try await supervisor.watch { await daemon.runsQueue() }
            } catch {
                logger.error("the systemd watchdog could not be notified", metadata: ["reason": "\(error)"])
            }
        }
        let reloading = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        reloading.setEventHandler { Task { await daemon.reload() } }
        reloading.activate()
        await Self.signalled(ends)
        reloading.cancel()
        // systemd limits the time with `TimeoutStopSec=`; watchdog messages continue until all state is saved.
        do { try supervisor.ends() } catch {
            logger.error("systemd could not be notified of the end", metadata: ["reason": "\(error)"])
        }
        await daemon.stop()
        watching.cancel()
    }

    private func daemonConfiguration() throws -> DaemonConfiguration {
        DaemonConfiguration(
            stateDirectory: Locations.absolute(self.state ?? Locations.state),
            runtimeDirectory: Locations.runtime(self.runtime),
            sources: self.sources,
            beaconFeed: self.beaconFeed.map { Locations.absolute($0) },
            nmeaSocket: self.nmeaSocket.map { Locations.absolute($0) },
            nmeaReaders: Set(try self.nmeaReader.map(Self.user)),
            gateway: self.gateway.map { .init(host: $0.host, port: $0.port, trustRootsPath: self.gatewayTrustRoots) },
            geocoder: self.geocoder,
            launcherPath: self.launcher ?? Locations.launcher,
            policy: self.numbers.policy,
            managementPath: self.management.map { Locations.absolute($0) },
            credentialsDirectory: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"],
            cgroupDirectory: ["own", "none"].contains(self.cgroup) ? self.cgroup : Locations.absolute(self.cgroup),
            appUsers: self.appUsers,
            ownersGroup: try self.owners.map(Self.group),
            asksPolkit: self.polkit
        )
    }

    /// The maximum number of sources of a device: each needs a connection, and a record in the engine.
    static let sourcesMax = 16

    /// The number of sources besides gpsd.
    private var othersCount: Int {
        self.nmea.count + self.program.count + self.coarse.count + (self.at == nil ? 0 : 1)
    }

    /// A socket path that two options name, and those options; nil: all paths differ.
    private var pathOfTwo: (path: String, options: String)? {
        var named: [String: String] = [:]
        let all =
            self.program.map { ("--program", $0) } + self.coarse.map { ("--coarse", $0) }
            + [("--beacon-feed", self.beaconFeed), ("--nmea-socket", self.nmeaSocket)]
            .compactMap { option, path in path.map { (option, $0) } }
        for (option, path) in all {
            let path = Locations.absolute(path)
            if let other = named[path] { return (path, other == option ? "two \(option)" : "\(other) and \(option)") }
            named[path] = option
        }
        return nil
    }

    /// The sources; the preferred one comes first.
    private var sources: [DaemonConfiguration.Source] {
        if let source = self.playback.source { return [source] }
        let gpsd = self.gpsd ?? (self.othersCount == 0 ? .gpsd(host: "localhost", port: 2947) : nil)
        return (gpsd.map { [$0] } ?? []) + self.nmea.map { .nmea($0) }
            + self.program.map { .program(path: Locations.absolute($0)) }
            + self.coarse.map { .program(path: Locations.absolute($0), isCoarse: true) }
            + (self.at.map { [.fixed($0)] } ?? [])
    }

    /// Parses a range of user IDs; those below 1000 belong to the system.
    ///
    /// The highest ID means no user, and the one below it sends the signals of `clinux_kill_user`.
    private static func users(_ text: String) throws -> ClosedRange<UInt32> {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 1000, first <= last,
            last < .max - 1
        else {
            throw ValidationError("expected first-last, two numbers from 1000 to 4294967293 in their order")
        }
        return first...last
    }

    private static func user(_ name: String) throws -> UInt32 {
        guard let user = unsafe getpwnam(name) else {
            throw ValidationError("--nmea-reader \(name): there is no such user; getent passwd lists them")
        }
        return unsafe user.pointee.pw_uid
    }

    private static func group(_ name: String) throws -> UInt32 {
        guard let group = unsafe getgrnam(name) else {
            throw ValidationError("--owners \(name): there is no such group; groupadd --system \(name) makes it")
        }
        return unsafe group.pointee.gr_gid
    }

    /// Waits until the descriptor of `clinux_catch_ends` reports SIGTERM or SIGINT.
    private static func signalled(_ ends: Int32) async {
        let source = DispatchSource.makeReadSource(fileDescriptor: ends, queue: .global())
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        source.setEventHandler { continuation.yield() }
        source.activate()
        for await _ in signals { break }
        source.cancel()
    }
}

/// An error that is printed without a usage text.
struct CleanFailure: Error, CustomStringConvertible {
    let message: String
    var description: String { self.message }
}
