internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The end of a run: all faults end, people open their sharing apps once more, and then every requester
/// with a valid grant must get an answer, and no other requester a position.
struct Progress {
    /// The time from the end of all faults to the first visit of an app: a device that lost its path silently is back at
    /// the gateway after 260 s (`docs/protocol/push-link.md`).
    private static let settling = Duration.seconds(270)
    private static let visit = Duration.seconds(12)
    /// The time from the last visit to the requests.
    private static let pause = Duration.seconds(20)

    private let world: Simulation

    init(_ world: Simulation) {
        self.world = world
    }

    /// Plans the end of the run.
    ///
    /// - Returns: when the run is over.
    func plan() -> Instant {
        let world = self.world
        let heals = Duration.seconds(world.scenario.healsAt)
        world.later(heals) { self.heal() }
        let visits = world.devices.map(\.plan.apps.count).max() ?? 0
        for device in world.devices where !world.isLost(device) {
            for (app, plan) in device.plan.apps.enumerated() where plan.kind == .friends {
                let at = heals + Self.settling + Self.visit * app
                // A running process is not notified that a gateway with a rolled-back disk issued another token: as Apple
                // advises, apps request it at each launch.
                // The same holds if a relay reported that a token is dead.
                if world.rollsBack || world.withholds || world.scenario.deniesTokens {
                    world.later(at) { device.perform { try device.close(Names.bundle(app)) } }
                }
                world.later(at) { device.perform { try device.open(Names.bundle(app)) } }
                world.later(at + Self.visit - .seconds(1)) { device.perform { try device.hide(Names.bundle(app)) } }
            }
        }
        let asks = heals + Self.settling + Self.visit * visits + Self.pause
        world.later(asks) { for grant in world.scenario.grants.indices { self.ask(grant) } }
        return Instant.start.advanced(by: asks + RequesterNode.deadline + .seconds(5))
    }

    private func heal() {
        self.world.trace.add(self.world.now, .server, "all faults end")
        self.world.network.weather = Network.Weather()
        self.world.network.mend()
        for node in self.world.nodes { node.heal() }
        for device in self.world.devices {
            device.receiver.hasSignal = true
            device.mendScanner()
            device.mendSnapshot()
            device.misbehaviours = [:]
        }
    }

    private func ask(_ index: Int) {
        let world = self.world
        let plan = world.scenario.grants[index]
        guard let grant = world.grant(index), world.devices.indices.contains(plan.device),
            world.requesters.indices.contains(plan.requester),
            world.devices[plan.device].plan.apps.indices.contains(plan.app)
        else { return }
        let bundle = Names.bundle(plan.app)
        // The device that the person chose, if they have several.
        let device = world.auditors.devices.answering(for: grant.value.sharer) ?? world.devices[plan.device]
        let (mayAnswer, mustAnswer) = self.expectation(plan, grant.value, device, bundle)
        let isExact = plan.isFull && world.auditors.will.will(device, bundle).isPrecise
        world.requesters[plan.requester].ask(grant, grant.value.precision, .x25519) { kind, answer in
            switch (kind, answer?.content) {
            case (.answered, .fix(let fix)?):
                // The person may have consented while the request waited for another request's push.
                if !mayAnswer, !self.expectation(plan, grant.value, device, bundle).may {
                    world.fail("\(device.id) answered with a position under grant \(index), which no longer allows it")
                }
                let isExactNow = plan.isFull && world.auditors.will.will(device, bundle).isPrecise
                if ![isExact, isExactNow].contains(fix.horizontalAccuracy < 5000) {
                    world.fail(
                        "\(device.id) answered with an accuracy of \(fix.horizontalAccuracy) m; expected an exact position: \(isExact)"
                    )
                }
            default:
                if mustAnswer, !world.auditors.devices.isGone(grant.value.sharer) {
                    world.fail("after all faults ended, \(device.id) did not answer under grant \(index): \(kind)")
                }
            }
        }
    }

    /// Whether a request under the grant may be answered with a position now, and whether it must.
    func expectation(
        _ plan: Scenario.GrantPlan,
        _ grant: Grant,
        _ device: DeviceNode,
        _ bundle: BundleID
    ) -> (may: Bool, must: Bool) {
        let auditors = self.world.auditors
        let second = Int(self.world.now.microseconds / 1_000_000)
        let isGranted =
            plan.holds.lowerBound <= second && second < plan.holds.upperBound
            && !device.profile(of: bundle).revoked.contains(grant.id) && !auditors.requests.isRevoked(grant.id)
        let isAllowed =
            device.isInstalled(bundle) && auditors.will.allows(device, bundle)
            && auditors.will.will(device, bundle).decision == .always
            && (auditors.sessions.hasAlways(device, bundle) || !auditors.sessions.hasTakenAlways(device, bundle))
        // A spent budget or share, a full queue, or a rest after crashes is no fault.
        let excuses: Set<PushCheck> = [.budget, .share, .steady, .room]
        let probe = Push(
            id: PushID(high: 0, low: 0),
            bundle: bundle,
            payload: [],
            expiration: nil,
            received: device.engineNow.monotonic
        )
        let isExcused = device.core.engine.pushChecks(for: probe).contains { excuses.contains($0.check) && !$0.isMet }
        let server = self.world.server
        let paidUntil = (try? server.store.view.paidUntil(under: grant)) ?? nil
        var isTooSoon = plan.interval > 0
        if case .tooSoon = grant.pace(.init()).use(paidUntil: paidUntil, now: server.wall) { isTooSoon = true }
        // A budget that the server shares out is no fault, either.
        let spent = (try? server.store.view.pushesPaidUntil(of: grant.sharer)) ?? nil
        if self.world.scenario.sharingPolicy.isScarce(pushesPaidUntil: spent, now: server.wall) { isTooSoon = true }
        // Nor is a limit of the relay's.
        if self.world.auditors.relay.mayRefuseServer { isTooSoon = true }
        // The grant's last use may be under way, its hours may end soon, and the person may refuse.
        let isLimited =
            grant.asksPerson || plan.usesMax != nil && (device.profile(of: bundle).uses.left(of: grant) ?? 0) < 2
            || plan.hours != nil
                && [0, 120].contains { grant.hours?.contains(server.wall.advanced(by: .seconds($0))) == false }
        // A lost or removed device does not answer, and no other device answers in its place.
        let isSilent = self.world.isLost(device) || device.profile(of: bundle).standing?.isRemoved ?? false
        if isLimited || isSilent { isTooSoon = true }
        return (isGranted && isAllowed, isGranted && isAllowed && !isExcused && !isTooSoon)
    }
}
