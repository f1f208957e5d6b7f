internal import WhereaboutsCVirtualTime
internal import WhereaboutsVocabulary
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

#if compiler(<6.3) || compiler(>=6.4)
#error("LocationTesting supports Swift 6.3; other versions have another executor interface (ADR 0026)")
#endif

/// The interface of Swift's runtime that virtual time needs.
///
/// The interface is experimental, so only this file uses it (ADR 0026).
enum ExecutorInterface {
    /// The Swift versions that have this interface; keep equal to the condition above.
    static let versions = "6.3"
}

/// Sends the tasks of a thread that runs a kernel to that kernel, and all others to the platform's executor.
private final class RoutingExecutor: TaskExecutor, SchedulingExecutor {
    private let platform: any TaskExecutor = PlatformExecutorFactory.defaultExecutor

    func enqueue(_ job: consuming ExecutorJob) {
        if let kernel = Kernel.current {
            kernel.enqueue(UnownedJob(job), isMain: false)
        } else {
            self.platform.enqueue(job)
        }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        if let kernel = Kernel.current, let delay = delay as? Duration {
            // Round up: a task that wakes a fraction of a nanosecond early would sleep for 0 ns again and again.
            let (seconds, attoseconds) = delay.components
            let isWhole = attoseconds.isMultiple(of: 1_000_000_000) || seconds < 0 || attoseconds < 0
            kernel.enqueue(UnownedJob(job), after: min(delay.nanoseconds, .max - 1) + (isWhole ? 0 : 1))
        } else {
            self.scheduling.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
        }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        if Kernel.current != nil {
            self.enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
        } else {
            self.scheduling.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
        }
    }

    private var scheduling: any SchedulingExecutor {
        guard let scheduling = self.platform as? any SchedulingExecutor else {
            preconditionFailure("the platform's executor cannot schedule; use Swift \(ExecutorInterface.versions)")
        }
        return scheduling
    }
}

/// The main actor of all processes of the device that runs.
final class VirtualMainExecutor: SerialExecutor {
    private static let shared = VirtualMainExecutor()
    static let unowned = unsafe UnownedSerialExecutor(ordinary: VirtualMainExecutor.shared)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let kernel = Kernel.current else {
            preconditionFailure(
                "main-actor code of a virtual device was resumed on a thread that no device drives, as by a network client with "
                    + "threads of its own. Give the app a transport that calls VirtualNetwork.reach"
            )
        }
        kernel.enqueue(job, isMain: true)
    }

    /// All jobs of a device run on one thread, one after the other.
    func checkIsolated() {
        precondition(Kernel.current != nil, "this thread pumps no virtual device")
    }
}

private struct Factory: ExecutorFactory {
    private static let routing = RoutingExecutor()
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static var defaultExecutor: any TaskExecutor { self.routing }
}

private typealias GetMainExecutor = @convention(thin) () -> UnownedSerialExecutor
private typealias MainExecutorHook = @convention(thin) (GetMainExecutor) -> UnownedSerialExecutor

/// Called by the C constructor, before any task exists.
@_cdecl("whereabouts_virtual_time_install")
func installVirtualTime() {
    _createExecutors(factory: Factory.self)
    Strays.installFinder()
    guard let hook = unsafe cvirtualtime_main_executor_hook() else { return }
    let slot = unsafe UnsafeMutableRawPointer(hook).assumingMemoryBound(to: MainExecutorHook?.self)
    unsafe slot.pointee = { original in unsafe Kernel.current == nil ? original() : VirtualMainExecutor.unowned }
}

/// The runtime's function to run a job on an executor; the documented one does not accept the generic executor.
@_silgen_name("swift_job_run")
func runJob(_ job: UnownedJob, _ executor: UnownedSerialExecutor)

/// The runtime's function for the number of a job's task, which no other task of the program has.
@_silgen_name("swift_task_getJobTaskId")
func taskNumber(of job: UnownedJob) -> UInt64

/// The generic executor, as the runtime writes it: two empty words.
let noExecutor = unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
