internal import Logging
internal import ServiceLifecycle
internal import UnixSignals
internal import WhereaboutsNetworkSupport

/// The frame that all servers run in.
enum Serving {
    /// How long a server waits for its database while the previous server ends.
    ///
    /// Source: our choice; a server ends within 2 s of SIGTERM.
    static let lockPatience = Duration.seconds(5)

    /// Where a server logs: on standard error.
    static func logger(_ name: String) -> Logger {
        Logger(label: "whereabouts.\(name)") { StreamLogHandler.standardError(label: $0) }
    }

    /// Runs servers until SIGTERM or SIGINT, or until one of them fails.
    ///
    /// - Parameter servers: makes them; the process is closed to others by then, before it reads a key.
    /// - Throws: what they throw.
    static func run(_ servers: (Readiness) async throws -> [any Service]) async throws {
        try Secrecy.keep()
        // Before anything creates an event loop.
        try Descriptors.raiseLimit()
        let readiness = Readiness()
        let services = try await servers(readiness)
        // The last one is the first to learn of the end.
        let supervised = SupervisedService(servers: services.count, readiness: readiness)
        try await ServiceGroup(
            services: services + [supervised],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger("services")
        ).run()
    }
}
