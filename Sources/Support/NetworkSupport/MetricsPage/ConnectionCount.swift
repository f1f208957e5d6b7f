internal import Synchronization

/// Counts connections up to a limit.
final class ConnectionCount: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(most: Int) {
        self.most = most
    }

    /// Counts another connection; false if the limit is reached.
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
