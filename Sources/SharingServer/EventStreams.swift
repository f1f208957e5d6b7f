internal import Synchronization

/// Counts the event streams that are open, so that there is a bound.
final class EventStreams: Sendable {
    /// One open stream; its place is free again when this is gone.
    final class Place: Sendable {
        private let streams: EventStreams

        /// Takes a place, or returns nil when all are taken.
        init?(in streams: EventStreams) {
            self.streams = streams
            let isFree = streams.count.withLock { count in
                guard count < streams.max else { return false }
                count += 1
                return true
            }
            guard isFree else { return nil }
        }

        deinit { self.streams.count.withLock { $0 -= 1 } }
    }

    private let max: Int
    private let count = Mutex(0)

    init(max: Int) {
        self.max = max
    }
}
