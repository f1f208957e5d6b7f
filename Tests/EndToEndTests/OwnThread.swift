internal import Dispatch

/// Runs blocking work outside the cooperative pool, where it would occupy the threads of all other tests.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "end-to-end", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        self.queue.async { unsafe unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the work on behalf of the calling task.
    static func run(_ work: @concurrent @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(OwnThread()) { try await work() }
    }
}
