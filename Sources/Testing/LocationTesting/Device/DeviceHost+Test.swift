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
        self.processes.release()
        self.containers = [:]
        self.timeline.draw = { nil }
    }

}
