internal import Synchronization

/// What one asynchronous sequence was given and did not take yet.
///
/// Plain fixes replace one another: a slow consumer gets the newest. What carries news besides a position is kept in
/// order (ADR 0007), at most ``lastingMax`` of it; beyond, the oldest goes.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [(element: Element, isReplaceable: Bool)] = []
        var waiter: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    /// As many changes of diagnostics as a person could cause in a minute.
    private static var lastingMax: Int { 16 }

    private let state = Mutex(State())

    /// Gives an element to the consumer, or keeps it.
    func put(_ element: Element, isReplaceable: Bool) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if state.isFinished { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if isReplaceable, let last = state.elements.last, last.isReplaceable { state.elements.removeLast() }
            state.elements.append((element, isReplaceable))
            if state.elements.count > Self.lastingMax { state.elements.removeFirst() }
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Ends the sequence; what was kept is still given.
    func finish() {
        let waiter = self.state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    /// Takes the next element, waiting for it; nil when the sequence is over or the task is cancelled.
    ///
    /// - Precondition: one consumer at a time; a sequence's iterator is not shared.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Element?? = self.state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.elements.isEmpty { return state.elements.removeFirst().element }
                    if state.isFinished { return .some(nil) }
                    precondition(state.waiter == nil, "two tasks iterate one iterator")
                    state.waiter = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = self.state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: nil)
        }
    }
}
