internal import DequeModule
internal import Glibc
internal import Synchronization
internal import WhereaboutsCVirtualTime
internal import WhereaboutsVocabulary

/// Runs the tasks of a virtual device's processes on one thread, in one order, in virtual time.
///
/// ```
///   enqueue ──▶ ready ──▶ run, one after the other ──▶ nothing is ready ──▶ move the clock to the next timer or event
///                 ▲                                                                          │
///                 └───────────────────── timers that fire ◀───────────────────────────────┘
/// ```
/// Every job carries the process that enqueued it, so that several apps can run side by side. A process that is held keeps
/// its jobs until it resumes; the jobs of an ended process never run (ADR 0026).
final class Kernel {
    /// A process of the device; the device itself is number 0.
    typealias ProcessNumber = Int

    /// Scheduled events other than tasks: receivers, deadlines, people.
    protocol Owner: AnyObject {
        /// The time of the next event; `Int64.max`: there is none.
        var nextEvent: Int64 { get }
        /// Handles the owner's events up to now.
        func eventsAreDue()
        /// Handles the messages that the last job sent; called after every job.
        func jobDidRun()
        /// Called when a process ran very many jobs without waiting.
        func processDoesNotWait(_ process: ProcessNumber)
        /// Receives a line that a process wrote to its standard output or error.
        func process(_ process: ProcessNumber, wrote line: String)
        /// Called for an action of a process that cannot work on a virtual device.
        func process(_ process: ProcessNumber, did misuse: Misuse)
    }

    /// The treatment of a process's jobs.
    private enum JobRule {
        case running
        case held([Job])
        case ended
    }

    private struct Job {
        let job: UnownedJob
        let isMain: Bool
        let process: ProcessNumber
    }

    /// Only one device runs at a time, because main-actor code of two devices must not run at once (ADR 0026).
    private static let pumping = Mutex(())

    /// No real program runs this many jobs at one instant; an endless loop does so within a second.
    private static let jobsPerInstantMax = 1_000_000

    /// Receives the events of the device other than tasks; nil once the device is gone.
    var owner: (any Owner)?
    /// The process whose job runs now.
    private(set) var process: ProcessNumber = 0
    /// The number of jobs that ran.
    private(set) var jobs = 0

    /// The state of the kernel that the watchdog's thread reads.
    let vitals: Vitals

    /// The real milliseconds left to wait for threads; a thread that never waits costs no more than this.
    private var threadPatience = 1000
    private let clock: VirtualClock
    /// The clock of each process, which is its device's clock; at index 0, the clock of code outside devices.
    private var clocks: [VirtualClock]
    private var lines: [ProcessNumber: WrittenLine] = [:]
    private var ready = Deque<Job>()
    private var timers = EventHeap<Int64, Job>()
    private var jobRules: [JobRule] = [.running]

    init(clock: VirtualClock, vitals: Vitals = Vitals()) {
        self.clock = clock
        self.clocks = [VirtualClock(outside: clock)]
        self.vitals = vitals
    }

    /// During `Owner.jobDidRun()`, the process of the job that ran; otherwise 0.
    private(set) var lastProcess: ProcessNumber = 0
    /// The task of the job that runs, or ran last.
    private(set) var lastTask: UInt64 = 0
    /// The task that ends the sleep of the job that runs, or ran last; nil: the job does not sleep.
    private(set) var sleeper: UInt64?

    /// Nanoseconds since the device's start.
    var now: Int64 { self.clock.now }

    /// The kernel of this thread; nil on every other thread.
    static var current: Kernel? {
        guard let kernel = unsafe cvirtualtime_kernel() else { return nil }
        return unsafe Unmanaged<Kernel>.fromOpaque(kernel).takeUnretainedValue()
    }

    // MARK: Processes

    /// Adds a process whose jobs run.
    ///
    /// - Parameters:
    ///   - name: the name for people.
    ///   - clock: the clock of its device; nil: the kernel's clock.
    /// - Returns: its number.
    func addProcess(_ name: String = "a process", _ clock: VirtualClock? = nil) -> ProcessNumber {
        self.vitals.add(name)
        self.jobRules.append(.running)
        self.clocks.append(clock ?? self.clock)
        return self.jobRules.count - 1
    }

    /// Gives this thread the clock of a process.
    private func show(_ process: ProcessNumber) { self.clocks[process].show() }

    /// Suspends a process: its jobs wait from now on.
    func hold(_ process: ProcessNumber) {
        if case .running = self.jobRules[process] { self.jobRules[process] = .held([]) }
    }

    /// Resumes a suspended process, beginning with the jobs that waited.
    func goOn(_ process: ProcessNumber) {
        guard case .held(let jobs) = self.jobRules[process] else { return }
        self.jobRules[process] = .running
        self.ready.append(contentsOf: jobs)
    }

    /// Drops a process's jobs, including the waiting ones.
    func end(_ process: ProcessNumber) {
        self.jobRules[process] = .ended
    }

    /// When the sleeping tasks of a process wake, soonest first.
    func wakeUps(of process: ProcessNumber) -> [Int64] {
        self.timers.unordered.filter { $0.event.process == process }.map(\.time).sorted()
    }

    /// When the next task wakes; `Int64.max`: no task will wake.
    var nextWakeUp: Int64 { self.timers.nextTime ?? .max }

    // MARK: Jobs

    func enqueue(_ job: UnownedJob, isMain: Bool) {
        self.ready.append(Job(job: job, isMain: isMain, process: self.process))
    }

    func enqueue(_ job: UnownedJob, after delay: Int64) {
        self.sleeper = taskNumber(of: job)
        let (at, overflow) = self.now.addingReportingOverflow(max(0, delay))
        let job = Job(job: job, isMain: false, process: self.process)
        self.timers.insert(job, at: overflow ? .max : at)
    }

    /// Runs `body` as a process, so that the tasks it wakes belong to that process.
    func perform<Result>(as process: ProcessNumber, _ body: () throws -> Result) rethrows -> Result {
        let before = self.process
        self.process = process
        self.show(process)
        defer {
            self.process = before
            self.show(before)
        }
        return try body()
    }

    /// Runs `body` as a process, on its main actor, which is the device's thread.
    func performOnMain<Result>(as process: ProcessNumber, _ body: () -> Result) -> Result {
        cvirtualtime_begin_job(1)
        defer { cvirtualtime_end_job() }
        return self.perform(as: process, body)
    }

    // MARK: The code that runs

    /// Records bytes that the running code writes.
    func wrote(_ bytes: UnsafeRawBufferPointer) {
        let process = self.process
        guard process != 0, let owner = self.owner else { return }
        for line in unsafe self.lines[process, default: WrittenLine()].add(bytes) {
            owner.process(process, wrote: line)
        }
    }

    /// Reports a misuse by the running code.
    func did(_ misuse: Misuse) { self.owner?.process(self.process, did: misuse) }

    // MARK: The pump

    /// Runs all jobs, timers and events up to an instant; jobs that are ready now run in any case.
    ///
    /// - Parameters:
    ///   - instant: when to stop, in nanoseconds since the start.
    ///   - begin: done first, in the kernel's time.
    ///   - isDone: called whenever no job is ready; true ends the run early.
    func pump(until instant: Int64, begin: () -> Void = {}, isDone: () -> Bool = { false }) {
        precondition(
            Self.current == nil,
            "a virtual device's time is moved from the test, not from the code of an app that runs on a device"
        )
        Self.pumping.withLock { _ in
            unsafe cvirtualtime_enter(Unmanaged.passUnretained(self).toOpaque(), self.vitals.number)
            defer { cvirtualtime_enter(nil, 0) }
            self.show(self.process)
            self.vitals.pumpBegan()
            defer { self.vitals.pumpEnded() }
            let owner = self.owner
            begin()
            owner?.jobDidRun()
            while true {
                self.runWhatIsReady(for: owner)
                if isDone() { return }
                let next = min(self.nextWakeUp, owner?.nextEvent ?? .max)
                guard next <= instant, next < .max else { break }
                self.move(to: max(next, self.now))
                while let job = self.timers.removeNext(by: self.now)?.event { self.ready.append(job) }
                owner?.eventsAreDue()
            }
            if instant > self.now { self.move(to: instant) }
        }
        self.waitForThreads()
    }

    /// Waits in real time until the threads that the code started wait as well.
    ///
    /// Mistakes of these threads are then found in every run, at the test's call that started them.
    private func waitForThreads() {
        while self.threadPatience > 0, cvirtualtime_threads_wait(self.vitals.number) == 0 {
            usleep(1000)
            if !CodeLine.isSearching { self.threadPatience -= 1 }
        }
    }

    private func move(to instant: Int64) {
        self.vitals.jobBegan(of: 0)
        self.clock.move(to: instant)
        self.show(self.process)
        cvirtualtime_end_job()
    }

    private func runWhatIsReady(for owner: (any Owner)?) {
        var left = Self.jobsPerInstantMax
        while let job = self.ready.popFirst() {
            switch self.jobRules[job.process] {
            case .ended: continue
            case .held(var jobs):
                jobs.append(job)
                self.jobRules[job.process] = .held(jobs)
                continue
            case .running: break
            }
            self.process = job.process
            self.show(job.process)
            self.jobs += 1
            self.lastTask = taskNumber(of: job.job)
            self.sleeper = nil
            self.vitals.jobBegan(of: job.process)
            cvirtualtime_begin_job(job.isMain ? 1 : 0)
            unsafe runJob(job.job, job.isMain ? VirtualMainExecutor.unowned : noExecutor)
            cvirtualtime_end_job()
            self.process = 0
            self.show(0)
            self.vitals.jobBegan(of: 0)
            self.lastProcess = job.process
            owner?.jobDidRun()
            self.lastProcess = 0
            left -= 1
            if left == 0 {
                owner?.processDoesNotWait(job.process)
                left = Self.jobsPerInstantMax
            }
        }
    }
}
