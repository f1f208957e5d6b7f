internal import Logging
internal import ServiceLifecycle
internal import UnixSignals
internal import WhereaboutsNetworkSupport

/// Runs servers: logging, signals, limits and supervision.
enum Serving {
    /// How long a server waits for its database while the previous server ends.
    ///
    /// Source: our choice; a server ends within 2 s of SIGTERM.
    static let lockPatience = Duration.seconds(5)

    /// Creates a logger to standard error.
    static func logger(_ name: String) -> Logger {
        Logger(label: "whereabouts.\(name)") { StreamLogHandler.standardError(label: $0) }
    }

    /// Runs servers until SIGTERM or SIGINT, or until one of them fails.
    ///
    /// - Parameters:
    ///   - count: the number of servers, which share the descriptors of the process.
    ///   - servers: creates the servers, each with its number of descriptors; other processes cannot read the memory by then.
    /// - Throws: the errors of the servers.
    static func run(_ count: Int = 1, _ servers: (Readiness, Int) async throws -> [any Service]) async throws {
        try Secrecy.keep()
        // Raise the limit before anything creates an event loop.
        let descriptors = try Descriptors.raiseLimit() / count
        let readiness = Readiness()
        let services = try await servers(readiness, descriptors)
        // Services are stopped in reverse order, so the last one is notified of the end first.
        let supervised = SupervisedService(servers: services.count, readiness: readiness)
        try await ServiceGroup(
            services: services + [supervised],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger("services")
        ).run()
    }
}
