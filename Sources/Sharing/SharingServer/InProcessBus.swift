internal import Synchronization
package import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The bus of a server that runs on one node.
package final class InProcessBus: Bus {
    private struct Subscribers {
        var next: UInt64 = 0
        var byRequest: [RequestID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
    }

    // Bounded by the server's bound on open event streams, each of which subscribes once.
    private let subscribers = Mutex(Subscribers())

    /// Creates a bus without subscribers.
    package init() {}

    /// Wakes the subscribers of a request.
    package func publish(_ id: RequestID) {
        let woken = self.subscribers.withLock { $0.byRequest[id].map { Array($0.values) } ?? [] }
        for continuation in woken { continuation.yield() }
    }

    /// Returns wake-ups of a request.
    package func subscribe(to id: RequestID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let key = self.subscribers.withLock { subscribers in
            subscribers.next += 1
            subscribers.byRequest[id, default: [:]][subscribers.next] = continuation
            return subscribers.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { subscribers in
                subscribers.byRequest[id]?[key] = nil
                if subscribers.byRequest[id]?.isEmpty == true { subscribers.byRequest[id] = nil }
            }
        }
        return stream
    }
}
