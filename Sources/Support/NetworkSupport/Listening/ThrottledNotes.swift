package import Logging
internal import Synchronization
package import WhereaboutsVocabulary

/// Rate-limited notes about connections, because every peer can cause them, and they must not fill the log.
///
/// A note that is left out is counted, and the next one that is not says how many were.
package final class ThrottledNotes: Sendable {
    /// The most notes at once.
    package static let burst = 20
    /// The interval of further notes.
    ///
    /// Source: our choice; about 29,000 lines a day under a flood that lasts, 6 MB.
    package static let interval = Duration.seconds(3)

    private struct State {
        var allowance = GCRA(burst: ThrottledNotes.burst, every: ThrottledNotes.interval)
        var leftOut = 0
    }

    private let logger: Logger
    private let now: @Sendable () -> EngineInstant
    private let leftOut: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates an allowance of notes.
    ///
    /// - Parameters:
    ///   - logger: where they are written.
    ///   - now: says the time.
    ///   - leftOut: counts a note that is left out.
    package init(
        _ logger: Logger,
        now: @escaping @Sendable () -> EngineInstant,
        leftOut: @escaping @Sendable () -> Void = {}
    ) {
        self.logger = logger
        self.now = now
        self.leftOut = leftOut
    }

    /// Writes a note, or counts it.
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
