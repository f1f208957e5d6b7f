/// Messages for a person who waits for a server, for up to ten seconds if the server is unreachable.
enum Waiting {
    /// How long to wait before the first message.
    ///
    /// Source: our choice; a reachable server replies sooner.
    private static let quiet: Duration = .seconds(1)
    private static let server = "waiting for the server"

    static func message(_ words: String = Self.server) -> String { "\(words) …" }

    /// Runs `body`, and prints the message on standard error if it takes long.
    static func said<Value: Sendable>(
        _ words: String = Self.server,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let waiting = Task {
            try await Task.sleep(for: Self.quiet)
            printTrouble(Self.message(words))
        }
        defer { waiting.cancel() }
        return try await body()
    }
}
