internal import CoreLocation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost

/// Events of monitors, and their oddities.
extension Deliveries {
    /// Whether to drop an event, because it is the first one of a condition that was beyond the limit.
    func loses(_ event: ConditionEvent, of monitor: UInt64, _ process: VirtualProcess) -> Bool {
        guard self.quirks.contains(.losesCrossingsBeyondLimit) else { return false }
        if event.diagnostics.contains(.conditionLimitExceeded) {
            process.beyondLimit.insert(event.identifier)
            return false
        }
        guard let number = event.number, process.beyondLimit.remove(event.identifier) != nil else { return false }
        self.timeline.add(.decision, process.name, "is not told of \(event.identifier), which was beyond the limit")
        let change = MonitorChange(monitor: monitor, number: 0, kind: .handled(number))
        self.time.schedule(after: .zero) { [unowned self] in
            self.service.feed(.messageReceived(.monitorChange(change), from: process.clientID))
        }
        return true
    }

    /// Whether a condition is added under an identifier in use: the addition is ignored, and the process receives the usual
    /// confirmation.
    func ignores(_ message: ClientMessage, of process: VirtualProcess) -> Bool {
        guard self.quirks.contains(.ignoresConditionsAddedAgain),
            case .monitorChange(let change) = message, case .add(let identifier, _, _, _) = change.kind,
            self.service.core.engine.status(of: process.bundle)?.conditions.contains(where: {
                $0.identifier == identifier
            })
                == true
        else { return false }
        self.timeline.add(.decision, process.name, "adds the condition \(identifier) again, which is ignored")
        self.processes.send(
            Engine.Message.monitor(.taken(change: change.number, isRefused: false), monitor: change.monitor).wire,
            to: process.clientID
        )
        return true
    }

    /// A process opened a monitor under the name of another open monitor.
    func openedAgain(monitor name: String, by number: Kernel.ProcessNumber) {
        guard let process = self.processes[number] else { return }
        self.timeline.add(.request, process.name, "opens the monitor \(name), which is open")
        guard self.quirks.contains(.endsAppAtSecondMonitor) else { return }
        // Run this after the process's present job, which is in the middle of a call.
        self.time.schedule(after: .zero) { [unowned self] in
            self.processes.end(process, "crashes: the monitor named \(name) is already in use", .signalled(6))
        }
    }
}
