internal import Connecting
internal import CoreMetrics
internal import Logging
internal import PushLink
internal import Synchronization
internal import Vocabulary

/// Notes about connections, bounded in time: everybody who can connect can cause them, and a log is a disk, too.
///
/// A note that is left out is counted, and the next one that is not says how many were.
final class ThrottledNotes: Sendable {
    /// The most notes at once.
    static let burst = 20
    /// The time after which there may be one more.
    static let interval = Duration.seconds(3)

    private struct State {
        var allowance = Allowance(burst: ThrottledNotes.burst, every: ThrottledNotes.interval)
        var leftOut = 0
    }

    private let logger: Logger
    private let metrics: GatewayMetrics
    private let state = Mutex(State())

    init(_ logger: Logger, _ metrics: GatewayMetrics) {
        self.logger = logger
        self.metrics = metrics
    }

    /// Writes a note, or counts it.
    func write(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        guard level >= self.logger.logLevel else { return }
        let leftOut = self.state.withLock { state -> Int? in
            guard state.allowance.take(now: .onEventLoop()) else {
                state.leftOut += 1
                return nil
            }
            defer { state.leftOut = 0 }
            return state.leftOut
        }
        guard let leftOut else { return self.metrics.notesLeftOut.increment() }
        let before: Logger.Metadata = leftOut > 0 ? ["left out before": "\(leftOut)"] : [:]
        self.logger.log(level: level, message, metadata: metadata.merging(before) { $1 })
    }
}
