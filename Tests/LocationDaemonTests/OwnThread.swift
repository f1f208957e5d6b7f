internal import Dispatch

/// Runs work that blocks outside the cooperative pool: there it would take the threads of every other test.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "daemon tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        self.queue.async { unsafe unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the work, as the task that calls.
    static func run(_ work: @concurrent @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(OwnThread()) { try await work() }
    }
}
