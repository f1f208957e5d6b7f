/// The deeds of apps' code beside Core Location: lines that it writes, and uses of a thread that no device can share.
extension DeviceHost {
    /// Whether a process is one of this device, and lives.
    func hasProcess(_ number: Kernel.ProcessNumber) -> Bool {
        guard let process = self.process(number) else { return false }
        return !process.hasEnded
    }

    func wrote(_ line: String, _ process: VirtualProcess) {
        process.lastLine = line
        self.timeline.note(process.name, line)
        self.logged(line, by: process)
    }

    func did(_ misuse: Misuse, _ number: Kernel.ProcessNumber) {
        if let process = self.process(number) { return self.did(misuse, process, at: CodeLine.here) }
        guard let problem = misuse.problem, self.misusesElsewhere.insert(misuse).inserted else { return }
        self.problems.add("code that runs elsewhere, or a condition of the test, \(problem)\(CodeLine.here)")
    }

    /// Takes note of a misuse.
    ///
    /// - Parameters:
    ///   - misuse: the misuse.
    ///   - process: the process whose code does so.
    ///   - line: the code's line, in brackets.
    func did(_ misuse: Misuse, _ process: VirtualProcess, at line: @autoclosure () -> String) {
        // Once each: to find a line takes a while.
        guard !process.misuses.contains(misuse) else { return }
        process.misuses.append(misuse)
        if let problem = misuse.problem { self.problems.add("\(process.name) \(problem)\(line())") }
    }
}
