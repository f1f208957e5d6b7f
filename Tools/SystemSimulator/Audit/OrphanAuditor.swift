internal import WhereaboutsLocationEngine

/// Objects when an app that leaves processes behind faster than it may is not ended, or when another app is ended.
///
/// It counts separately for each app, and leaves out processes of an ended run.
final class OrphanAuditor {
    /// The processes that an app may leave at once, as `docs/bounds.md` has it.
    private static let burst = 100
    /// The time until it may leave one more.
    private static let pause = Duration.milliseconds(100)

    private unowned let world: Simulation
    /// The time until each app may leave the full number again, and since when.
    private var accounts: [AppKey: (used: Duration, at: Instant)] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// locationd begins again, and has forgotten what it counted.
    func deviceStarted(_ device: DeviceNode) {
        self.accounts = self.accounts.filter { $0.key.device != device.index }
    }

    /// A process that a running app left behind has ended, and locationd has ended the app for it, or not.
    func orphanEnded(of process: SimulatedProcess, isEnded: Bool) {
        let (app, now) = (AppKey(process.device, process.bundle), self.world.now)
        let last = self.accounts[app] ?? (used: Duration.zero, at: now)
        let used = max(Duration.zero, last.used - last.at.duration(to: now)) + Self.pause
        self.accounts[app] = isEnded ? nil : (used: used, at: now)
        switch (used > Self.pause * Self.burst, isEnded) {
        case (true, false):
            self.world.fail("\(process.device.id) let \(app.bundle) leave more processes behind than the limit allows")
        case (false, true):
            self.world.fail(
                "\(process.device.id) ended \(app.bundle), which left fewer processes behind than the limit allows"
            )
        case (true, true), (false, false): break
        }
    }
}
