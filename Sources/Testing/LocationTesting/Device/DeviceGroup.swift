internal import Testing

/// The devices that share one kernel and its time, and the calls of a test: actions, time that passes, and the end.
final class DeviceGroup {
    let kernel: Kernel
    /// The clock of the first device.
    private let clock: VirtualClock
    private(set) var devices: [DeviceHost] = []
    /// The number of devices that were ever added.
    private var count = 0
    /// The misuses by code that belongs to no process.
    private var misusesElsewhere: Set<Misuse> = []

    init(epoch: Int64) {
        SelfCheck.require()
        self.clock = VirtualClock(epoch: epoch)
        self.kernel = Kernel(clock: self.clock)
        self.kernel.owner = self
    }

    /// The group whose code runs on this thread; nil on a thread without a device.
    static var current: DeviceGroup? { Kernel.current?.owner as? DeviceGroup }

    /// Creates the clock and the number of the next device.
    func makeClock() -> (clock: VirtualClock, number: Int) {
        defer { self.count += 1 }
        return (self.count == 0 ? self.clock : VirtualClock(beside: self.clock), self.count)
    }

    func add(_ device: DeviceHost) {
        if self.devices.isEmpty { Strays.shared.remember(self.kernel.vitals.number, device.context.problems) }
        self.devices.append(device)
    }

    /// The device that a process belongs to; the first device for code that belongs to none.
    func device(of process: Kernel.ProcessNumber) -> DeviceHost? {
        self.devices.dropFirst().first { $0.processes[process] != nil } ?? self.devices.first
    }

    // MARK: The calls of a test

    /// Performs an action at once, in the devices' time, and runs everything that is ready then.
    ///
    /// - Parameters:
    ///   - line: the test's line.
    ///   - body: the action.
    func act(at line: SourceLocation? = nil, _ body: () -> Void) {
        guard Kernel.current !== self.kernel else { return body() }
        self.kernel.vitals.called(at: line)
        self.kernel.pump(until: self.clock.now, begin: body)
        self.rest(at: line)
    }

    /// Returns to the test: reports the problems that were found.
    private func rest(at line: SourceLocation?) {
        self.kernel.vitals.rests(hasWaiters: self.devices.contains { $0.processes.hasWaiters })
        for device in self.devices { device.tellProblems(at: line) }
    }

    /// Lets time pass until `isDone` returns true, or to the end; returns the last result of `isDone`.
    @discardableResult
    func advance(
        by nanoseconds: Int64,
        at line: SourceLocation? = nil,
        until isDone: () -> Bool = { false }
    ) -> Bool {
        if let running = Self.current {
            running.devices.first?.context.problems.add(
                "the condition of run(until:), or code that runs on a device, advances time\(CodeLine.here); the call has "
                    + "no effect. Advance time in the test, between such calls"
            )
            return false
        }
        let (end, overflow) = self.clock.now.addingReportingOverflow(nanoseconds)
        precondition(!overflow, "a virtual device's time ends after 292 years, before \(nanoseconds) ns from now")
        var done = false
        self.kernel.vitals.called(at: line)
        self.kernel.pump(until: end) {
        } isDone: {
            done = isDone()
            return done
        }
        self.rest(at: line)
        return done || isDone()
    }

    /// The test is over for a device: reports open problems, and releases everything.
    func finish(_ device: DeviceHost, at location: SourceLocation) {
        if self.devices.count == 1 {
            Watchdog.shared.leave(self.kernel.vitals)
            Strays.shared.forget(self.kernel.vitals.number)
        }
        device.tellProblems(at: location)
        if self.clock.now == 0, device.processes.hasWaiters {
            Reporter.report(
                "the test ended at the device's start; time does not pass by itself: call advance(by:) or run(until:)\n"
                    + "This is what everything waits for:\n\(device.waiting)",
                at: location
            )
        }
        device.release()
        self.devices.removeAll { $0 === device }
        if self.devices.isEmpty { self.kernel.owner = nil }
    }
}

extension DeviceGroup: Kernel.Owner {
    var nextEvent: Int64 { self.devices.reduce(.max) { min($0, $1.nextEvent) } }

    func eventsAreDue() { for device in self.devices { device.eventsAreDue() } }

    func jobDidRun() {
        for device in self.devices { device.jobDidRun() }
        self.devices.first?.context.story?.jobDidRun(of: self.kernel.lastProcess)
    }

    func processDoesNotWait(_ number: Kernel.ProcessNumber) { self.device(of: number)?.doesNotWait(number) }

    func process(_ number: Kernel.ProcessNumber, wrote line: String) {
        guard let device = self.device(of: number), let process = device.processes[number] else { return }
        device.checks.wrote(line, process)
    }

    func process(_ number: Kernel.ProcessNumber, did misuse: Misuse) {
        guard let device = self.device(of: number) else { return }
        if let process = device.processes[number] { return device.checks.did(misuse, process, at: CodeLine.here) }
        guard let problem = misuse.problem, self.misusesElsewhere.insert(misuse).inserted else { return }
        device.context.problems.add("code that runs elsewhere, or a condition of the test, \(problem)\(CodeLine.here)")
    }
}

extension DeviceHost {
    /// The device whose code runs on this thread; nil on a thread without a device.
    static var current: DeviceHost? { DeviceGroup.current.flatMap { $0.device(of: $0.kernel.process) } }
}
