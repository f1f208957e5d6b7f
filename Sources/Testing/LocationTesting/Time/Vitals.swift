internal import Glibc
internal import Synchronization
internal import Testing

/// The state of one kernel that the watchdog's thread reads.
final class Vitals: Sendable {
    struct Signs {
        /// A number that changes with each job and each move of the clock.
        var pulse: Int
        /// The name of the process whose job runs.
        var process: String
        /// The thread that runs the device; nil while none does.
        var pump: pthread_t?
        /// How often the kernel ran.
        var pumps: Int
        /// Whether any code on the device waits for time to pass.
        var hasWaiters: Bool
        /// The test's newest call.
        var call: SourceLocation?
    }

    private struct State {
        var names = ["the device"]
        var pump: pthread_t?
        var pumps = 0
        var hasWaiters = false
        var call: SourceLocation?
    }

    private static let counter = Atomic<UInt64>(0)

    /// The device's number in this process; never 0, never used twice.
    let number = Vitals.counter.add(1, ordering: .relaxed).newValue
    private let pulse = Atomic(0)
    private let process = Atomic(0)
    private let state = Mutex(State())

    func add(_ name: String) { self.state.withLock { $0.names.append(name) } }

    // MARK: The pump's thread

    func called(at line: SourceLocation?) { self.state.withLock { $0.call = line ?? $0.call } }

    func pumpBegan() {
        self.state.withLock { state in
            state.pump = pthread_self()
            state.pumps += 1
        }
    }

    func pumpEnded() { self.state.withLock { $0.pump = nil } }

    /// Records whether any code waits for the test to let time pass.
    func rests(hasWaiters: Bool) { self.state.withLock { $0.hasWaiters = hasWaiters } }

    /// Records that a job begins; 0: a job of the device itself.
    func jobBegan(of process: Int) {
        // Only one thread runs a device at a time, and the watchdog need not see every job.
        self.pulse.store(self.pulse.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        self.process.store(process, ordering: .relaxed)
    }

    // MARK: The watchdog's thread

    var signs: Signs {
        self.state.withLock { state in
            let process = self.process.load(ordering: .relaxed)
            return Signs(
                pulse: self.pulse.load(ordering: .relaxed),
                process: state.names.indices.contains(process) ? state.names[process] : state.names[0],
                pump: state.pump,
                pumps: state.pumps,
                hasWaiters: state.hasWaiters,
                call: state.call
            )
        }
    }
}
