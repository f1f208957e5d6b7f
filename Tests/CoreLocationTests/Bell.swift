internal import Synchronization

/// Signals changes to waiting tests, which then need no polling.
final class Bell: Sendable {
    private struct State {
        var rings = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Wakes all waiting tests; the change must be visible before the call.
    func ring() {
        let waiters = self.state.withLock { state in
            state.rings += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until a condition is true; checks it once at first, and once after each signal.
    func wait(until isTrue: () -> Bool) async {
        while true {
            let rings = self.state.withLock { $0.rings }
            if isTrue() { return }
            await withCheckedContinuation { waiter in
                // A signal between the check and this line could be the last one; without this, the wait would not end.
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
