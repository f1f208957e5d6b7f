internal import Foundation
internal import WhereaboutsCVirtualTime

/// Checks, before the first device of a process, that virtual time works with this toolchain.
///
/// Virtual time rests on behaviour that Swift does not document (ADR 0026); with a toolchain that changes it, tests must fail here,
/// with a clear message.
enum SelfCheck {
    /// Runs the check once per process; ends the process if the check fails.
    static func require() { _ = self.outcome }

    private static let outcome: Void = {
        if let failure = SelfCheck.failure() {
            fatalError(
                "LocationTesting cannot keep virtual time with this toolchain: \(failure). It works with Swift \(ExecutorInterface.versions) on "
                    + "Linux; see docs/adr/0026-virtual-time.md"
            )
        }
    }()

    /// The observations of the check's code in virtual time.
    private final class Probe {
        var steps: [String] = []
        var slept = Duration.zero
        var passed = 0.0

        func enter(_ step: String) {
            nonisolated(unsafe) let probe = self
            MainActor.assumeIsolated { unsafe probe.steps.append(step) }
        }
    }

    /// Why virtual time does not work; nil when it does.
    private static func failure() -> String? {
        guard unsafe cvirtualtime_main_executor_hook() != nil else {
            return "the runtime has no swift_task_getMainExecutor_hook"
        }
        guard cvirtualtime_clock_is_ours() != 0 else {
            return "clock_gettime is not interposed (another library defines it first)"
        }
        let kernel = Kernel(clock: VirtualClock(epoch: 1_000_000_000_000_000_000))
        // Only the kernel's thread uses this.
        nonisolated(unsafe) let probe = Probe()
        kernel.pump(until: 5_000_000_000) {
            Task.detached {
                let begin = ContinuousClock.now
                let date = Date()
                try? await Task.sleep(for: .milliseconds(1500))
                unsafe probe.slept = ContinuousClock.now - begin
                unsafe probe.passed = Date().timeIntervalSince(date)
                await Task { @MainActor in unsafe probe.enter("main actor") }.value
                DispatchQueue.main.asyncAfter(deadline: .now() + 1) { unsafe probe.enter("dispatch") }
            }
        }
        guard unsafe probe.slept == .milliseconds(1500) else {
            return unsafe "a task that sleeps 1.5 s woke after \(probe.slept)"
        }
        guard unsafe abs(probe.passed - 1.5) < 1e-6 else {
            return unsafe "Foundation's clock went \(probe.passed) s in 1.5 s"
        }
        guard unsafe probe.steps == ["main actor", "dispatch"] else {
            return unsafe "of main-actor and dispatched work only this ran: \(probe.steps)"
        }
        return nil
    }
}
