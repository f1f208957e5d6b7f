internal import Testing

/// The end of a test, and the answers to its calls.
extension DeviceHost {
    func tellProblems(at line: SourceLocation?) {
        for problem in self.context.problems.take() {
            self.timeline.add(.problem, "device", problem)
            Reporter.report(problem, at: line)
        }
    }

    /// Releases everything that code of apps made.
    func release() {
        self.processes.release()
        self.apps.release()
        self.timeline.draw = { nil }
    }

    /// Runs `body` as a process, on its main actor, now, and then all tasks that it woke.
    func perform<Result>(
        in process: VirtualProcess,
        at line: SourceLocation,
        _ body: @MainActor () -> Result
    ) -> Result {
        // The thread that runs the device is the main actor of its processes; the type system cannot express that.
        withoutActuallyEscaping(body) { body in
            let plain = unsafe unsafeBitCast(body, to: (() -> Result).self)
            var result: Result?
            self.group.act(at: line) { result = self.kernel.performOnMain(as: process.number, plain) }
            guard let result else { preconditionFailure("the pump did not run its first closure") }
            return result
        }
    }
}
