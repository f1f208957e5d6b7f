internal import Synchronization

/// Tells a person when a server cannot be reached, and when the server is reached again; shows a repeated reason once.
final class Reaching: Sendable {
    private let server: String
    private let explain: @Sendable (String) -> Void
    /// The last reported trouble; nil: none.
    private let trouble = Mutex<String?>(nil)

    init(_ server: String, explain: @escaping @Sendable (String) -> Void) {
        self.server = server
        self.explain = explain
    }

    /// Reports a failed attempt, unless the last one failed for the same reason.
    func failed(_ words: String) {
        let isNews = self.trouble.withLock { trouble in
            defer { trouble = words }
            return trouble != words
        }
        if isNews { self.explain("\(words); trying again") }
    }

    func reached() {
        let wasTrouble = self.trouble.withLock { trouble in
            defer { trouble = nil }
            return trouble != nil
        }
        if wasTrouble { self.explain("connected to \(self.server) again") }
    }
}
