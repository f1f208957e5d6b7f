internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the scheduler of virtual time, without a device.
@Suite struct KernelTests {
    /// The steps of tasks, in the order they run.
    private final class Trace: Sendable {
        private let steps = Mutex<[String]>([])

        var all: [String] { self.steps.withLock { $0 } }
        func add(_ step: String) { self.steps.withLock { $0.append(step) } }
    }

    private actor Store {
        private var value = 0

        func increase() -> Int {
            self.value += 1
            return self.value
        }
    }

    private static func run(for seconds: Int64 = 1_000_000, _ body: @escaping @Sendable () async -> Void) -> Kernel {
        let kernel = Kernel(clock: VirtualClock(epoch: 0))
        kernel.pump(until: seconds * 1_000_000_000) { Task.detached { await body() } }
        return kernel
    }

    private static func busy(_ trace: Trace) async {
        let store = Store()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    trace.add("store \(await store.increase())")
                    await Task.yield()
                    await MainActor.run { trace.add("main \(number)") }
                    try? await ContinuousClock().sleep(for: .milliseconds(10 * (6 - number)))
                    trace.add("woke \(number)")
                    await Task { trace.add("task \(number)") }.value
                    await Task.detached { trace.add("detached \(await store.increase())") }.value
                }
            }
        }
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        Task.detached {
            for number in 0..<4 {
                continuation.yield(number)
                await Task.yield()
            }
            continuation.finish()
        }
        for await number in stream { trace.add("stream \(number)") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 5) { trace.add("dispatch") }
        try? await SuspendingClock().sleep(for: .seconds(86_400))
        trace.add("end")
    }

    @Test func theSameProgramRunsInTheSameOrder() {
        let traces = (0..<4).map { _ in Trace() }
        for trace in traces { _ = Self.run { await Self.busy(trace) } }
        #expect(traces[0].all.last == "end")
        #expect(traces[0].all.count == 36)
        for trace in traces.dropFirst() { #expect(trace.all == traces[0].all) }
    }

    @Test func everyClockIsVirtual() {
        let trace = Trace()
        _ = Self.run {
            let date = Date()
            let continuous = ContinuousClock.now
            let suspending = SuspendingClock.now
            let uptime = ProcessInfo.processInfo.systemUptime
            let dispatch = DispatchTime.now()
            try? await ContinuousClock().sleep(for: .seconds(3600.25))
            func seconds(_ duration: Duration) -> Double {
                Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
            }
            let passed = [
                Date().timeIntervalSince(date), seconds(ContinuousClock.now - continuous),
                seconds(SuspendingClock.now - suspending), ProcessInfo.processInfo.systemUptime - uptime,
                Double(DispatchTime.now().uptimeNanoseconds - dispatch.uptimeNanoseconds) / 1e9,
            ]
            for seconds in passed { trace.add(String(format: "%.4f", seconds)) }
        }
        #expect(trace.all == Array(repeating: "3600.2500", count: 5))
    }

    @Test func aSleepersDeadlineIsExact() {
        let kernel = Kernel(clock: VirtualClock(epoch: 0))
        let trace = Trace()
        kernel.pump(until: 10_000_000_000) {
            for nanoseconds in [1, 999, 1_000_001, 2_500_000_000] as [Int64] {
                Task.detached {
                    try? await ContinuousClock().sleep(for: .nanoseconds(nanoseconds))
                    trace.add("\(Kernel.current?.now ?? -1)")
                }
            }
        }
        #expect(trace.all == ["1", "999", "1000001", "2500000000"])
    }

    @Test func aJobBelongsToTheProcessThatMadeIt() {
        let kernel = Kernel(clock: VirtualClock(epoch: 0))
        let shared = Store()
        let trace = Trace()
        @Sendable func check(_ process: Int) {
            trace.add(Kernel.current?.process == process ? "own" : "stray")
        }
        kernel.pump(until: 1_000_000_000_000) {
            for process in [kernel.addProcess(), kernel.addProcess(), kernel.addProcess()] {
                kernel.perform(as: process) {
                    _ = Task.detached {
                        for _ in 0..<5 {
                            check(process)
                            _ = await shared.increase()
                            check(process)
                            await Task.detached { check(process) }.value
                            await MainActor.run { check(process) }
                            try? await ContinuousClock().sleep(for: .milliseconds(10 * process))
                            check(process)
                            DispatchQueue.main.async { check(process) }
                            await withTaskGroup(of: Void.self) { group in
                                for number in 0..<3 {
                                    group.addTask {
                                        try? await ContinuousClock().sleep(for: .seconds(number))
                                        check(process)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(trace.all.count == 3 * 5 * 9)
        #expect(!trace.all.contains("stray"))
    }

    @Test func aHeldProcessKeepsItsJobsAndAnEndedOneLosesThem() {
        let kernel = Kernel(clock: VirtualClock(epoch: 0))
        let trace = Trace()
        let process = kernel.addProcess()
        kernel.pump(until: 0) {
            kernel.perform(as: process) {
                _ = Task.detached {
                    for second in 1...5 {
                        try? await ContinuousClock().sleep(for: .seconds(1))
                        trace.add("\(second)")
                    }
                }
            }
        }
        kernel.pump(until: 1_500_000_000)
        kernel.hold(process)
        kernel.pump(until: 10_000_000_000)
        #expect(trace.all == ["1"])
        kernel.goOn(process)
        kernel.pump(until: 11_500_000_000)
        #expect(trace.all == ["1", "2", "3"])
        kernel.end(process)
        kernel.pump(until: 100_000_000_000)
        #expect(trace.all == ["1", "2", "3"])
    }

    @Test func elsewhereTimeIsTheSystems() async throws {
        // Virtual time would stop here: nothing runs the scheduler, and the shortest sleep would not end.
        try await ContinuousClock().sleep(for: .nanoseconds(1))
        await MainActor.run { MainActor.assumeIsolated {} }
        let answer = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Kernel.current == nil) }
        }
        #expect(answer)
    }

    @Test func timeIsNotMovedFromWithin() async {
        await #expect(processExitsWith: .failure) {
            let kernel = Kernel(clock: VirtualClock(epoch: 0))
            kernel.pump(until: 1) { kernel.pump(until: 2) }
        }
    }
}
