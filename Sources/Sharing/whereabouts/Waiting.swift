/// Words for a person while a server is waited for, which takes up to ten seconds when it is away.
enum Waiting {
    /// How long nothing is said.
    ///
    /// Source: our choice; a server that is there replies sooner.
    private static let quiet: Duration = .seconds(1)

    /// Runs `body`, and says the words on standard error when it takes longer.
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
