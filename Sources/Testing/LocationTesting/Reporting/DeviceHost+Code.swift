/// The actions of apps' code outside Core Location: lines that it prints, and misuses.
extension DeviceHost {
    func wrote(_ line: String, _ process: VirtualProcess) {
        process.lastLine = line
        self.timeline.note(process.name, line)
        self.logged(line, by: process)
    }

    /// Records a misuse.
    ///
    /// - Parameters:
    ///   - misuse: the misuse.
    ///   - process: the process whose code misuses the device.
    ///   - line: the code's line, in brackets.
    func did(_ misuse: Misuse, _ process: VirtualProcess, at line: @autoclosure () -> String) {
        // Each misuse once: finding a line takes a while.
        guard !process.misuses.contains(misuse) else { return }
        process.misuses.append(misuse)
        if let problem = misuse.problem { self.problems.add("\(process.name) \(problem)\(line())") }
    }
}
