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
    /// - Parameters:
    ///   - count: the number of servers, which share the descriptors of the process.
    ///   - servers: makes them, each with its number of descriptors; the process is closed to others by then, before it reads a key.
    /// - Throws: what they throw.
    static func run(_ count: Int = 1, _ servers: (Readiness, Int) async throws -> [any Service]) async throws {
        try Secrecy.keep()
        // Before anything creates an event loop.
        let descriptors = try Descriptors.raiseLimit() / count
        let readiness = Readiness()
        let services = try await servers(readiness, descriptors)
        // The last one is the first to learn of the end.
        let supervised = SupervisedService(servers: services.count, readiness: readiness)
        try await ServiceGroup(
            services: services + [supervised],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger("services")
        ).run()
    }
}
