internal import WhereaboutsVocabulary

/// The timer of a machine in one life of a process; it fires once, at the earliest deadline that it received.
final class Alarm {
    private unowned let world: Simulation
    private let schedule: (_ delay: Duration, _ isDue: @escaping () -> Bool) -> Void
    private var due: Instant?

    /// Creates an alarm that is not set.
    ///
    /// - Parameters:
    ///   - node: the process; the alarm ends with this life of it.
    ///   - ring: feeds the machine, and calls ``follow(_:)`` afterwards.
    init(_ node: Node, ring: @escaping () throws -> Void) {
        self.world = node.world
        self.schedule = { [unowned node] (delay, isDue) in node.later(delay) { if isDue() { try ring() } } }
    }

    /// Creates an alarm that is not set.
    ///
    /// - Parameters:
    ///   - process: an app or its extension; while it is frozen, the alarm waits.
    ///   - ring: feeds the machine, and calls ``follow(_:)`` afterwards.
    init(_ process: SimulatedProcess, ring: @escaping () -> Void) {
        self.world = process.device.world
        self.schedule = { [unowned process] (delay, isDue) in process.later(delay) { if isDue() { ring() } } }
    }

    /// Rings at this deadline, or before.
    ///
    /// A later instant does not move the alarm. It fires too early then, which every machine allows.
    func follow(_ deadline: EngineInstant?) {
        guard let deadline else { return }
        let due = max(Instant(notBefore: deadline), self.world.now)
        guard self.due.map({ due < $0 }) ?? true else { return }
        self.due = due
        self.schedule(self.world.now.duration(to: due)) { [self] in
            guard self.due == due else { return false }
            self.due = nil
            return true
        }
    }
}

extension Instant {
    /// The first microsecond at which a deadline has come.
    fileprivate init(notBefore deadline: EngineInstant) {
        let microseconds = deadline.sinceStart.microseconds
        let isWhole = Duration.microseconds(microseconds) == deadline.sinceStart
        self.init(microseconds: isWhole ? microseconds : microseconds + 1)
    }
}
