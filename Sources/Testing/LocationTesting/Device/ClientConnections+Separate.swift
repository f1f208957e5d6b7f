internal import CoreLocation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// Connections to apps in processes of their own.
extension ClientConnections {
    /// When the next separate process has something to do.
    var nextSeparate: Int64 {
        self.processes.separate.reduce(.max) { $1.isSuspended ? $0 : min($0, $1.separate?.next ?? .max) }
    }

    /// Runs the separate processes that have something to do now; returns whether there was one.
    func runSeparate() -> Bool {
        let now = self.time.clock.now
        var hadWork = false
        for process in self.processes.separate where !process.isSuspended {
            guard let separate = process.separate, separate.isDue(now) else { continue }
            hadWork = true
            let step = separate.live(through: now) { report in
                switch report {
                case .connect:
                    self.connect(process.number)
                    // Without a service, the client is notified of that, and sends nothing.
                    return process.connectedSince == nil
                case .message(let message):
                    self.received(message, from: process.number)
                    if separate.waitsForAnswer { self.takeInbox() }
                    return true
                case .problem(let text): self.context.problems.add("\(process.name) \(text)")
                case .wrote(let line): self.checks.wrote(line, process)
                case .misuse(let misuse, let line): self.checks.did(misuse, process, at: line)
                case .idle: break
                }
                return false
            }
            switch step {
            case .idle: continue
            case .ended(let end):
                // Handle the messages that the process sent before it ended.
                self.takeInbox()
                self.processes.end(process, "ends: \(end.words)\(Self.reason(of: end, process))", end)
            case .restless:
                self.context.problems.add(
                    "\(process.name) was still busy after \(SeparateProcess.patience) ms of real time, and is ended"
                )
                self.processes.end(process, "is still busy and is ended")
            }
        }
        return hadWork
    }

    /// The last output of a process that crashed; the runtime prints the reason before.
    private static func reason(of end: Engine.ProcessEnd, _ process: VirtualProcess) -> String {
        if case .signalled = end, let line = process.lastLine { ", after it wrote: \(line)" } else { "" }
    }
}
