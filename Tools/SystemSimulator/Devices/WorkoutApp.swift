internal import WhereaboutsLocationEngine

/// An app that follows the device, in the background too, as long as a workout is on.
final class WorkoutApp: SimulatedProcess {
    private var holds: [UInt64] = []

    /// Whether a workout is on; the app stores this on disk.
    private var isOn: Bool { self.device.workouts.contains(self.bundle) }

    override func connected() {
        if self.device.plan(of: self.bundle).isForgetful, !self.isFirst { return }
        self.goOn()
    }

    override func phaseChanged() { self.goOn() }

    /// Begins the session, activity and updates of a workout, or continues them after a new launch.
    func goOn() {
        if self.isOn, self.holds.isEmpty {
            self.holds = [
                self.take(session: .whenInUse, purpose: Self.purpose), self.beginBackgroundSession(),
                self.read(.live(.fitness)),
            ]
        } else if !self.isOn {
            for hold in self.holds { self.invalidate(hold) }
            self.holds = []
        }
    }
}
