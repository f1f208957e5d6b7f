internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsGeoClueService
internal import WhereaboutsHostSupport
internal import WhereaboutsVocabulary

/// The program that provides GeoClue's name on the system bus.
@main
struct LocationdGeoClueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd-geoclue",
        abstract: "Serve programs that ask org.freedesktop.GeoClue2, as locationd and its user allow.",
        discussion: """
            locationd treats each program that asks as an app: in `locationctl apps`, settings and log, and with one prompt. \
            Flatpak's sandbox or systemd's unit identifies it; without either, the app is shown as \
            "claimed by" the program that asks. Run it as the user of locationd; it serves only that user, and the bus \
            must allow it to own the name (docs/geoclue.md).

            Prints `listening org.freedesktop.GeoClue2` once it owns the name, and notifies systemd.

            Exit status: 0 ended by a signal, 1 no bus, or it refused the name, 64 wrong usage.
            """,
        version: Release.version
    )

    @Option(help: ArgumentHelp("The directory of locationd's sockets.", valueName: "directory"))
    var runtime: String?

    @Option(help: "Lowest level to log: trace, debug, info, notice, warning, error.")
    var logLevel = "info"

    func validate() throws {
        // Nothing is logged as critical, so that level would hide everything.
        let levels = Logger.Level.allCases.filter { $0 != .critical }.map(\.rawValue)
        guard levels.contains(self.logLevel) else {
            throw ValidationError(
                "--log-level must be one of \(levels.joined(separator: ", ")), not '\(self.logLevel)'"
            )
        }
    }

    func run() throws {
        // Forbid core dumps before any position is in memory.
        guard clinux_forbid_dumps() == 0 else {
            throw ValidationError("core dumps cannot be forbidden: \(unsafe String(cString: strerror(errno)))")
        }
        var logger = Logger(label: "locationd-geoclue") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: self.logLevel) ?? .info
        // Ignore SIGPIPE: a failed write reports a closed peer.
        signal(SIGPIPE, SIG_IGN)
        // Exit at once, because there is no state to save: the bus and locationd notice that their connections end.
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        // Unblock these signals: a Dispatch thread of the starting program blocks them, and its children inherit that.
        var ends = sigset_t()
        unsafe sigemptyset(&ends)
        for number in [SIGTERM, SIGINT] { unsafe sigaddset(&ends, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &ends, nil)
        let environment = ProcessInfo.processInfo.environment
        let service = try GeoClueService(runtime: self.runtime, environment: environment, logger: logger)
        print("listening org.freedesktop.GeoClue2")
        fflush(nil)
        try Supervisor(environment: environment, process: getpid()).serves()
        try service.run()
    }
}
