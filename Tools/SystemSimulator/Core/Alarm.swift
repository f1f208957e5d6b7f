internal import WhereaboutsVocabulary

/// The timer of a machine in one life of a process; it rings once, at the earliest deadline it was given.
final class Alarm {
    private unowned let node: Node
    private let ring: () throws -> Void
    private var due: Instant?

    /// Creates an alarm that is not set.
    ///
    /// - Parameters:
    ///   - node: the process; with its life the alarm ends.
    ///   - ring: feeds the machine, and calls ``follow(_:)`` afterwards.
    init(_ node: Node, ring: @escaping () throws -> Void) {
        self.node = node
        self.ring = ring
    }

    /// Rings at this deadline, or before.
    ///
    /// A later instant does not move the alarm. It fires too early then, which every machine allows.
    func follow(_ deadline: EngineInstant?) {
        guard let deadline else { return }
        let due = max(Instant(notBefore: deadline), self.node.world.now)
        guard self.due.map({ due < $0 }) ?? true else { return }
        self.due = due
        self.node.later(self.node.world.now.duration(to: due)) { [self] in
            guard self.due == due else { return }
            self.due = nil
            try self.ring()
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
