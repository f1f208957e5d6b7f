internal import WhereaboutsLocationEngine

/// An app for significant changes and visits: it begins changes again at every launch, and visits only at the first.
final class TravelsApp: SimulatedProcess {
    private var changes: UInt64?
    private var visits: UInt64?
    /// A forgetful app begins significant changes when a person starts it, and not when it is launched.
    private var forgets: Bool { self.device.plan(of: self.bundle).isForgetful && self.reason != .user }

    override func connected() {
        self.device.requestAlways(self)
        if self.changes == nil, !self.forgets { self.changes = self.read(.significantChanges) }
        if self.visits == nil, self.isFirst { self.visits = self.read(.visits) }
    }

    override func told(_ state: Engine.ClientState) {
        // As a manager does that has a delegate.
        if state.monitorsVisits, self.visits == nil { self.visits = self.read(.visits) }
    }

    override func told(_ update: Update, of stream: UInt64) {
        let isLaunched = self.reason != .user
        switch update.element {
        case .fix: self.device.world.census.add(isLaunched ? "change after a launch" : "significant change")
        case .visit(let visit):
            self.device.world.census.add(visit.departure == nil ? "arrival" : "departure")
            if isLaunched { self.device.world.census.add("visit after a launch") }
        case .heading, .beacons, nil: self.device.world.census.add("travels are not reported")
        }
    }
}
