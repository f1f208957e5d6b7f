internal import Synchronization

/// The number of connections, with a bound.
final class ConnectionCount: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(most: Int) {
        self.most = most
    }

    /// Counts one more; returns whether there was room.
    func enter() -> Bool {
        self.count.withLock { count in
            guard count < self.most else { return false }
            count += 1
            return true
        }
    }

    func leave() {
        self.count.withLock { $0 -= 1 }
    }
}
