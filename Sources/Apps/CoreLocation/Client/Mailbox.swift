internal import Synchronization

/// The unread elements of an asynchronous sequence.
///
/// A plain fix replaces a waiting plain fix, so that a slow consumer receives the newest one. Other elements stay in
/// order (ADR 0007). If more than `lastingMax` elements wait, the oldest is dropped.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [(element: Element, isReplaceable: Bool)] = []
        // Several tasks wait only if they share a copied iterator; they are served in their order.
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
        var nextWaiter: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let lastingMax: Int

    /// Creates an empty mailbox.
    ///
    /// - Parameter lastingMax: the most waiting elements; 16 is more changes of diagnostics than a person causes in a minute.
    package init(lastingMax: Int = 16) {
        self.lastingMax = lastingMax
    }

    /// Delivers an element to the consumer, or stores it.
    package func put(_ element: Element, isReplaceable: Bool) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if state.isFinished { return nil }
            if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
            if isReplaceable, let last = state.elements.last, last.isReplaceable { state.elements.removeLast() }
            state.elements.append((element, isReplaceable))
            if state.elements.count > self.lastingMax { state.elements.removeFirst() }
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Puts an element that was read back as the next one.
    package func putBack(_ element: Element) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
            state.elements.insert((element, false), at: 0)
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Removes unread elements.
    package func removeAll(where isOver: (Element) -> Bool) {
        self.state.withLock { $0.elements.removeAll { isOver($0.element) } }
    }

    /// Ends the sequence after the stored elements.
    package func finish() {
        let waiters = self.state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Returns the next element, waiting for it; nil when the sequence has ended or the task is cancelled.
    package func next() async -> Element? {
        let id = self.state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Element?? = self.state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.elements.isEmpty { return state.elements.removeFirst().element }
                    if state.isFinished { return .some(nil) }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = self.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(returning: nil)
        }
    }
}
