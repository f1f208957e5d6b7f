internal import WhereaboutsLocationEngine

/// An app that is notified of its conditions: it reads its monitor at every launch, and handles an event after a delay.
class MonitoringApp: SimulatedProcess {
    private(set) var monitor: UInt64?
    /// A forgetful app opens its monitor when a person starts it, and not when it is launched.
    private var forgets: Bool { self.device.plan(of: self.bundle).isForgetful && self.reason != .user }

    /// The conditions that the app adds at every launch; overridden.
    var conditions: [(identifier: String, condition: Condition)] { [] }

    /// The events that the app wants to receive; overridden.
    var notices: Notices { .all }

    /// The word for its events in the census; overridden.
    var subject: String { "" }

    override func connected() {
        guard self.monitor == nil else { return }
        _ = self.take(session: .always)
        if !self.forgets { self.monitor = self.read(monitor: "conditions") }
    }

    override func told(_ news: MonitorNews, of monitor: UInt64) {
        switch news {
        case .opened:
            for (identifier, condition) in self.conditions { self.add(identifier, condition) }
        case .taken: break
        case .event(let event):
            let census = event.diagnostics.isEmpty ? "\(self.subject) event" : "\(self.subject) without events"
            self.device.world.census.add(census)
            guard let number = event.number else { return }
            if self.reason != .user { self.device.world.census.add("\(self.subject) event after a launch") }
            self.later(.milliseconds(200)) { [unowned self] in
                self.device.world.auditors.conditions.handled(event, by: self)
                self.change(.handled(number), of: monitor)
            }
        }
    }

    func add(_ identifier: String, _ condition: Condition) {
        guard let monitor else { return }
        self.change(.add(identifier: identifier, condition, assuming: .unknown, self.notices), of: monitor)
    }

    func remove(_ identifier: String) {
        guard let monitor else { return }
        self.change(.remove(identifier: identifier), of: monitor)
    }
}
