internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Collects events, and lets a test wait for an expected one, with a deadline.
final class Events<Element: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let matches: @Sendable (Element) -> Bool
        let promise: EventLoopPromise<Element>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let state = Mutex(State())
    private let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    /// The events that no test has waited for yet.
    var pending: [Element] { self.state.withLock { $0.elements } }

    func record(_ element: Element) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.matches(element) }) else {
                state.elements.append(element)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.promise.succeed(element)
    }

    /// Returns and removes the first event that matches, past or future.
    func next(
        _ what: String,
        within limit: TimeAmount = .seconds(20),
        where matches: @escaping @Sendable (Element) -> Bool
    ) async throws -> Element {
        let promise = self.eventLoop.makePromise(of: Element.self)
        let id = self.state.withLock { state -> Int? in
            if let index = state.elements.firstIndex(where: matches) {
                promise.succeed(state.elements.remove(at: index))
                return nil
            }
            state.nextID += 1
            state.waiters.append(Waiter(id: state.nextID, matches: matches, promise: promise))
            return state.nextID
        }
        guard let id else { return try await promise.futureResult.get() }
        let deadline = self.eventLoop.scheduleTask(in: limit) {
            let waiter = self.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.promise.fail(Missing(description: "\(what) did not happen; pending: \(self.pending)"))
        }
        defer { deadline.cancel() }
        return try await promise.futureResult.get()
    }
}
