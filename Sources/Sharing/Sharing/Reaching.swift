internal import Synchronization

/// Reports trouble with reaching a server to a person: each kind once, and its end.
final class Reaching: Sendable {
    private let server: String
    private let explain: @Sendable (String) -> Void
    /// The last reported trouble; nil: none.
    private let trouble = Mutex<String?>(nil)

    init(_ server: String, explain: @escaping @Sendable (String) -> Void) {
        self.server = server
        self.explain = explain
    }

    /// An attempt ended with these words.
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
        if wasTrouble { self.explain("\(self.server) is reached again") }
    }
}
