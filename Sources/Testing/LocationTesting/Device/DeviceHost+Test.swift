internal import Testing

/// The end of a test, and the answers to its calls.
extension DeviceHost {
    func tellProblems(at line: SourceLocation?) {
        for problem in self.problems.take() {
            self.timeline.add(.problem, "device", problem)
            Reporter.report(problem, at: line)
        }
    }

    /// Releases everything that code of apps made.
    func release() {
        for process in self.living {
            process.bury()
            self.kernel.end(process.number)
        }
        for process in self.processes { process?.transport?.detach() }
        self.containers = [:]
        self.timeline.draw = { nil }
    }

    var hasWaiters: Bool { self.living.contains { self.isWaiting($0) } }

    private func isWaiting(_ process: VirtualProcess) -> Bool {
        !process.streams.isEmpty || !self.kernel.wakeUps(of: process.number).isEmpty
    }
}
