internal import Synchronization

/// Brings together a question and the cancellation of the task that asks, whichever comes first.
final class Question: Sendable {
    private enum State {
        /// Neither has happened yet.
        case unasked
        /// The question has this number, and waits for its answer.
        case asked(UInt64)
        /// The task was cancelled, so a later question is not asked.
        case cancelled
    }

    private let state = Mutex(State.unasked)

    /// Records the question's number.
    ///
    /// - Returns: whether the task was cancelled before.
    func asked(_ id: UInt64) -> Bool {
        self.state.withLock { state in
            if case .cancelled = state { return true }
            state = .asked(id)
            return false
        }
    }

    /// Records that the task was cancelled.
    ///
    /// - Returns: the question to take back; nil when none was asked yet.
    func cancelled() -> UInt64? {
        self.state.withLock { state in
            defer { state = .cancelled }
            if case .asked(let id) = state { return id }
            return nil
        }
    }
}
