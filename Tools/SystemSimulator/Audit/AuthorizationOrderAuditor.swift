internal import WhereaboutsLocationEngine

/// Objects when a process receives a location or an error before the change of authorization that caused it.
///
/// Its account: the newest status that each process received, and the person's decisions (``WillAuditor``).
final class AuthorizationOrderAuditor {
    private unowned let world: Simulation
    /// The newest status that each connection received, by device.
    private var told: [Int: [ClientID: Authorization.Status]] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// locationd restarts: each process connects again.
    func deviceStarted(_ device: DeviceNode) { self.told[device.index] = nil }

    /// A process is about to receive its authorization.
    func told(_ state: Engine.ClientState, to client: ClientID, _ device: DeviceNode) {
        let before = self.told[device.index, default: [:]].updateValue(state.authorization, forKey: client)
        if let before, before != state.authorization { self.world.census.add("an authorization changes") }
    }

    /// A process is about to receive a location, or the reasons why there is none.
    func given(_ update: Update, to client: ClientID, of process: SimulatedProcess) {
        let (device, bundle) = (process.device, process.bundle)
        let told = self.told[device.index]?[client]
        if let told, self.statuses(device, bundle).contains(told) { return }
        let what = update.element == nil ? "an error" : "a location"
        let word = told.map { "the authorization \($0)" } ?? "no authorization"
        self.world.fail(
            "\(device.id) gave \(bundle) \(what) before its change of authorization; the app had received \(word)"
        )
    }

    /// The statuses that follow from the decisions of the person and the owner.
    private func statuses(_ device: DeviceNode, _ bundle: BundleID) -> [Authorization.Status] {
        let will = self.world.auditors.will
        let decision = will.will(device, bundle).decision
        let rule = device.management.rule(for: bundle).restriction
        if rule == .forbidden { return [.restricted] }
        if rule == .locked, decision == .undecided(once: false) { return [.restricted] }
        if !will.areServicesOn(device) { return [.denied] }
        return switch decision {
        case .undecided(once: false): [.notDetermined]
        // Allow Once ends with the use of the app.
        case .undecided(once: true): [.whenInUse, .notDetermined]
        case .never: [.denied]
        // Always on trial counts as While Using in Settings.
        case .whileUsing: [.whenInUse, .always]
        case .always: [.always]
        }
    }
}
