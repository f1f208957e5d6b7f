package import Logging
internal import Synchronization
package import WhereaboutsVocabulary

/// Log messages with a rate limit, because every peer can cause them, and they must not fill the log.
///
/// The next logged message contains the number of messages that were left out before it.
package final class ThrottledNotes: Sendable {
    /// The maximum number of messages in a burst.
    package static let burst = 20
    /// The interval of further messages.
    ///
    /// Source: our choice; a flood that lasts a day leaves about 29,000 lines, or 6 MB.
    package static let interval = Duration.seconds(3)

    private struct State {
        var allowance = GCRA(burst: ThrottledNotes.burst, every: ThrottledNotes.interval)
        var leftOut = 0
    }

    private let logger: Logger
    private let now: @Sendable () -> EngineInstant
    private let leftOut: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a log with a rate limit.
    ///
    /// - Parameters:
    ///   - logger: receives the messages.
    ///   - now: returns the present time.
    ///   - leftOut: called for each message that is left out.
    package init(
        _ logger: Logger,
        now: @escaping @Sendable () -> EngineInstant,
        leftOut: @escaping @Sendable () -> Void = {}
    ) {
        self.logger = logger
        self.now = now
        self.leftOut = leftOut
    }

    /// Logs a message, or counts it as left out.
    package func write(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        guard level >= self.logger.logLevel else { return }
        let now = self.now()
        let leftOut = self.state.withLock { state -> Int? in
            guard state.allowance.take(now: now) else {
                state.leftOut += 1
                return nil
            }
            defer { state.leftOut = 0 }
            return state.leftOut
        }
        guard let leftOut else { return self.leftOut() }
        let before: Logger.Metadata = leftOut > 0 ? ["left out before": "\(leftOut)"] : [:]
        self.logger.log(level: level, message, metadata: metadata.merging(before) { $1 })
    }
}
