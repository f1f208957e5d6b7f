internal import WhereaboutsLocationEngine

/// The reasons why nothing is ready to run; they are part of the message when a test's wait fails.
extension DeviceHost {
    var waiting: String {
        var lines = self.living.map { "\($0.name) (\(self.standing(of: $0))) \(self.wait(of: $0))" }
        if lines.isEmpty, self.service.isServing { lines.append("no app runs; person.open(app) starts one") }
        if let prompt {
            lines.append(
                "the person is asked by \(prompt.bundle), \(Person.Question(prompt.question).words) and has not answered; "
                    + "person.answersAll(.allowWhileUsing) would"
            )
        }
        switch self.service.state {
        case .running: break
        case .down(let until, _):
            lines.append("the location service is down until \(Timeline.clock(.nanoseconds(until)))")
        case .awaitsUnlock: lines.append("the device was not unlocked since it was switched on; person.unlock() would")
        case .off: lines.append("the device is off; switchOn() switches it on")
        }
        if let trouble = self.receiver.trouble { lines.append(trouble) }
        if !self.gateway.isReachable { lines.append("the device is in airplane mode") }
        return lines.map { "  - \($0)" }.joined(separator: "\n")
    }

    private func standing(of process: VirtualProcess) -> String {
        if process.isSuspended { return "suspended" }
        return process.phase == .foreground ? "foreground" : "background"
    }

    private func wait(of process: VirtualProcess) -> String {
        var waits: [String] = []
        for stream in process.streams {
            if stream.told?.contains(.stationary) == true {
                waits.append(
                    "awaits updates, which are paused because the device stays where it is, and was given \(stream.count); "
                        + "world.go(to:at:) would move it"
                )
            } else if let told = stream.told, !stream.isServed {
                waits.append("awaits updates, which are suspended: \(told.words)")
            } else if stream.count == 0 {
                waits.append("awaits its first update")
            } else {
                waits.append("awaits updates, and was given \(stream.count)")
            }
        }
        var wakeUps = self.kernel.wakeUps(of: process.number)
        if let next = process.separate?.next, next < .max { wakeUps = [next] }
        if let first = wakeUps.first {
            waits.append("\(wakeUps.count) task(s) sleep, the first until \(Timeline.clock(.nanoseconds(first)))")
        }
        let undriven = process.misuses.compactMap(\.undriven)
        if !undriven.isEmpty {
            waits.append(
                "created \(undriven.joined(separator: ", ")), which never runs in virtual time; use a task that sleeps"
            )
        }
        if process.isSuspended { waits.append("is suspended") }
        if waits.isEmpty { waits.append("waits for nothing that the device could deliver") }
        return waits.joined(separator: "; ")
    }
}
