internal import Synchronization

/// Rings when something changed, so that a test waits for a change without looking again and again.
final class Bell: Sendable {
    private struct State {
        var rings = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Has everybody who waits look again; the change must be visible by now.
    func ring() {
        let waiters = self.state.withLock { state in
            state.rings += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until something is true; looks once, and once after each ring.
    func wait(until isTrue: () -> Bool) async {
        while true {
            let rings = self.state.withLock { $0.rings }
            if isTrue() { return }
            await withCheckedContinuation { waiter in
                // A ring between the look and this line would otherwise be the last, and the wait would not end.
                let isLate = self.state.withLock { state in
                    guard state.rings == rings else { return true }
                    state.waiters.append(waiter)
                    return false
                }
                if isLate { waiter.resume() }
            }
        }
    }
}
