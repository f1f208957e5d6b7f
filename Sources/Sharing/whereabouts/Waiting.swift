/// Messages for a person who waits for a server: up to ten seconds when it is unreachable.
enum Waiting {
    /// How long to wait before the first message.
    ///
    /// Source: our choice; a server that is there replies sooner.
    private static let quiet: Duration = .seconds(1)

    /// Runs `body`, and prints the message on standard error if it takes long.
    static func said<Value: Sendable>(
        _ words: String = "waiting for the server",
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let waiting = Task {
            try await Task.sleep(for: Self.quiet)
            printTrouble("\(words) …")
        }
        defer { waiting.cancel() }
        return try await body()
    }
}
