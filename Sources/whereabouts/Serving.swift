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
    ///
    /// - Parameter services: makes them; the process is closed to others by then, before it reads a key.
    /// - Throws: what they throw.
    static func run(_ services: () throws -> [any Service]) async throws {
        try Secrecy.keep()
        try await ServiceGroup(
            services: services(),
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.logger("services")
        ).run()
    }
}
