internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine

/// Answers to the device's test, and the end of the test.
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

    /// The reasons why nothing is ready to run; they are part of the message when a test's wait fails.
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

    /// The true path of the device, and the positions that each process received.
    var lines: (truth: Timeline.Picture.Line, told: [Timeline.Picture.Line]) {
        let now = self.time.clock.now
        // As many points as a screen shows.
        let truth = (0...600).map { step in
            let place = self.world.truth(at: now / 600 * Int64(step)).position
            return (place.latitude, place.longitude)
        }
        let told = self.processes.all.filter { $0.positions.count > 0 }.map { process in
            let points = process.positions.points.map { (Double($0.latitude) / 1e7, Double($0.longitude) / 1e7) }
            return Timeline.Picture.Line(name: "\(process.name), launch \(process.number)", points: points)
        }
        return (Timeline.Picture.Line(name: "the device", points: truth), told)
    }
}
