internal import Logging
internal import Synchronization

/// Whether the store can be written, and the log of its errors: at most one a minute, because a full disk makes every request fail.
final class StoreHealth: Sendable {
    private static let interval: Duration = .seconds(60)

    private struct State {
        var isWell = true
        /// When the last error was logged.
        var last: ContinuousClock.Instant?
        var omitted = 0
    }

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Whether no operation has failed since the last successful write.
    var isWell: Bool { self.state.withLock { $0.isWell } }

    /// Records a successful write.
    func wrote() { self.state.withLock { $0.isWell = true } }

    /// Records and logs an error.
    func failed(_ error: any Error) {
        let now = self.now()
        let omitted: Int? = self.state.withLock { state in
            state.isWell = false
            if let last = state.last, last.duration(to: now) < Self.interval {
                state.omitted += 1
                return nil
            }
            defer { (state.last, state.omitted) = (now, 0) }
            return state.omitted
        }
        guard let omitted else { return }
        self.logger.error(
            "The database cannot be read or written, and requests get 503. Check its disk and its server.",
            metadata: ["error": "\(StoreFailure.words(error))", "omitted": "\(omitted)"]
        )
    }
}
