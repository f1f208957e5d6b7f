internal import Synchronization

/// Coordinates sending a question with the cancellation of its task, in whichever order they happen.
final class Question: Sendable {
    private enum State {
        /// The question was not sent, and the task was not cancelled.
        case unasked
        /// The question was sent with this number, and waits for its answer.
        case asked(UInt64)
        /// The task was cancelled.
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
    /// - Returns: the number of the question to cancel; nil when none was sent yet.
    func cancelled() -> UInt64? {
        self.state.withLock { state in
            defer { state = .cancelled }
            if case .asked(let id) = state { return id }
            return nil
        }
    }
}
