internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The frame that all servers run in.
enum Serving {
    /// Where a server logs: on standard error.
    static func logger(_ name: String) -> Logger {
        Logger(label: "whereabouts.\(name)") { StreamLogHandler.standardError(label: $0) }
    }

    /// Runs services until SIGTERM or SIGINT, or until one of them fails.
    static func run(_ services: [any Service]) async throws {
        try Secrecy.keep()
        try await ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger("services")
        ).run()
    }
}
