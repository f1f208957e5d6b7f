internal import Synchronization

/// The trouble of reaching a server, as a person is notified of it: each kind once, however many attempts end alike, and that it is over.
final class Reaching: Sendable {
    private let server: String
    private let explain: @Sendable (String) -> Void
    /// The trouble that was reported last; nil while there is none.
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
