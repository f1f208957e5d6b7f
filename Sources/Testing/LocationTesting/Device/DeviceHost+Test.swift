internal import Testing

/// The calls of a test: actions, time that passes, and the end.
extension DeviceHost {
    /// Performs an action at once, in the device's time, and runs everything that is ready then.
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
        self.kernel.vitals.rests(hasWaiters: self.all.contains { $0.hasWaiters })
        for host in self.all { host.tellProblems(at: line) }
    }

    private func tellProblems(at line: SourceLocation?) {
        for problem in self.problems.take() {
            self.timeline.add(.problem, "device", problem)
            Reporter.report(problem, at: line)
        }
    }

    /// Lets time pass until `isDone` returns true, or to the end; returns the last result of `isDone`.
    @discardableResult
    func advance(
        by nanoseconds: Int64,
        at line: SourceLocation? = nil,
        until isDone: () -> Bool = { false }
    ) -> Bool {
        if let running = Kernel.current?.owner as? DeviceHost {
            running.problems.add(
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

    /// The test is over: reports open problems, and releases everything.
    func finish(_ location: SourceLocation) {
        if self.first == nil {
            Watchdog.shared.leave(self.kernel.vitals)
            Strays.shared.forget(self.kernel.vitals.number)
        }
        self.tellProblems(at: location)
        let forgot = self.clock.now == 0 && self.hasWaiters
        if forgot {
            Reporter.report(
                "the test ended at the device's start; time does not pass by itself: call advance(by:) or run(until:)\n"
                    + "This is what everything waits for:\n\(self.waiting)",
                at: location
            )
        }
        for process in self.living {
            process.bury()
            self.kernel.end(process.number)
        }
        for process in self.processes { process?.transport?.detach() }
        self.containers = [:]
        self.timeline.draw = { nil }
        if let first = self.first {
            first.companions.removeAll { $0 === self }
        } else {
            self.kernel.owner = nil
        }
    }

    private var hasWaiters: Bool { self.living.contains { self.isWaiting($0) } }

    private func isWaiting(_ process: VirtualProcess) -> Bool {
        !process.streams.isEmpty || !self.kernel.wakeUps(of: process.number).isEmpty
    }
}
