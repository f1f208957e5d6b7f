internal import Logging
internal import Synchronization

/// Logs that the store failed, once a minute at most: a full disk fails each request.
final class StoreTroubleLog: Sendable {
    private static let interval: Duration = .seconds(60)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When the last line was logged, and how many errors followed.
    private let state = Mutex<(last: ContinuousClock.Instant?, omitted: Int)>((nil, 0))

    init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Logs an error.
    func failed(_ error: any Error) {
        let now = self.now()
        let omitted: Int? = self.state.withLock { state in
            if let last = state.last, last.duration(to: now) < Self.interval {
                state.omitted += 1
                return nil
            }
            defer { state = (now, 0) }
            return state.omitted
        }
        guard let omitted else { return }
        self.logger.error(
            "The database cannot be read or written, and requests get 503. Check the disk.",
            metadata: ["error": "\(StoreFailure.words(error))", "omitted": "\(omitted)"]
        )
    }
}
