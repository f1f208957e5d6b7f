internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import WhereaboutsHostSupport

/// Records that the servers of this process have opened their ports.
struct Readiness: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.stream, self.continuation) = AsyncStream.makeStream()
    }

    func listens() { self.continuation.yield() }

    /// Waits until that many servers listen, or the task is cancelled.
    func wait(for servers: Int) async {
        var left = servers
        for await _ in self.stream {
            left -= 1
            if left == 0 { return }
        }
    }
}

/// Notifies systemd when the servers of this process listen, while they are alive, and when they stop; does nothing
/// without systemd.
struct SupervisedService: Service {
    let servers: Int
    let readiness: Readiness

    func run() async throws {
        let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment, process: getpid())
        try await cancelWhenGracefulShutdown {
            await self.readiness.wait(for: self.servers)
            if Task.isCancelled { return }
            try supervisor.serves()
            try await supervisor.watch { try await Self.loopsRun() }
        }
        try await gracefulShutdown()
        try supervisor.ends()
    }

    /// Returns when every event loop has done some work: a blocked loop serves no connection.
    @Sendable private static func loopsRun() async throws {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
    }
}
