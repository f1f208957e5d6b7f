internal import WhereaboutsLocationEngine

/// The reasons why nothing is ready to run; they are part of the message when a test's wait fails.
extension DeviceHost {
    var waiting: String {
        var lines = self.processes.waits
        if lines.isEmpty, self.service.isServing { lines.append("no app runs; person.open(app) starts one") }
        if let prompt = self.user.prompt {
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

}
