internal import Dispatch
internal import Glibc
internal import Testing
internal import WhereaboutsCLinux

/// Waits for something that nobody announces; each wait ends.
enum Waiting {
    /// Looks again and again, every ten milliseconds.
    ///
    /// - Returns: whether it came true in time.
    static func until(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = clinux_boottime() + Int64(seconds * 1e9)
        while try !condition() {
            if clinux_boottime() >= deadline { return false }
            poll(nil, 0, 10)
        }
        return true
    }
}

/// Runs work that blocks outside the cooperative pool: there it would take the threads of every other test.
final class OffPool: TaskExecutor {
    private let queue = DispatchQueue(label: "off-pool", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        self.queue.async { unsafe unowned.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs the work, as the task that calls.
    static func run(_ work: @concurrent @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(OffPool()) { try await work() }
    }

    /// Runs the work, and its end also if the work fails.
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
    /// Keeps the threads of the cooperative pool free for the tests of other suites.
    static var offPool: Self { OffPoolTrait() }
}
