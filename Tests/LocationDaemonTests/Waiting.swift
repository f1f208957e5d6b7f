internal import Dispatch
internal import Glibc
internal import Testing
internal import WhereaboutsCLinux

/// Waits for changes without a notification; every wait has a time limit.
enum Waiting {
    /// Checks a condition every ten milliseconds.
    ///
    /// - Returns: whether it became true in time.
    static func until(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = clinux_boottime() + Int64(seconds * 1e9)
        while try !condition() {
            if clinux_boottime() >= deadline { return false }
            poll(nil, 0, 10)
        }
        return true
    }
}

/// Runs blocking work outside the cooperative pool, where it would occupy the threads of all other tests.
final class OffPool: TaskExecutor {
    private let queue = DispatchQueue(label: "off-pool", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        self.queue.async { unsafe unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the work on behalf of the calling task.
    static func run(_ work: @concurrent @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(OffPool()) { try await work() }
    }

    /// Runs the work, then the cleanup, also if the work fails.
    static func run(
        _ work: @concurrent @Sendable () async throws -> Void,
        finally end: () async -> Void
    ) async throws {
        do { try await Self.run(work) } catch {
            await end()
            throw error
        }
        await end()
    }
}

/// Runs each test of a suite with ``OffPool``: for suites whose tests wait for programs.
struct OffPoolTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await OffPool.run(function)
    }
}

extension Trait where Self == OffPoolTrait {
    /// Keeps the threads of the cooperative pool free for other suites.
    static var offPool: Self { OffPoolTrait() }
}
