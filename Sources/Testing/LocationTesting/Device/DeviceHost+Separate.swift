internal import CoreLocation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// Apps in processes of their own.
extension DeviceHost {
    func start(_ program: String, as process: VirtualProcess) {
        var environment = self.containers[process.bundle]?.environment ?? [:]
        environment["TZ"] = self.time.timeZone?.identifier
        do throws(WireError) {
            let separate = try SeparateProcess(
                program: program,
                clock: self.time.clock.setting,
                environment: environment
            )
            self.processes.runs(process, in: separate)
        } catch {
            self.problems.add("\(process.name) could not be started in a process of its own: \(error)")
            self.processes.end(process, "could not be started", .neverStarted(0))
        }
    }

    /// When the next separate process has something to do.
    var separateNext: Int64 {
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
                    self.processConnects(process.number)
                    // Without a service, the client is notified of that, and sends nothing.
                    return process.connectedSince == nil
                case .message(let message):
                    self.received(message, from: process.number)
                    if separate.waitsForAnswer { self.takeInbox() }
                    return true
                case .problem(let text): self.problems.add("\(process.name) \(text)")
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
                self.problems.add(
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
