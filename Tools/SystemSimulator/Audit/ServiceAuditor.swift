internal import WhereaboutsLocationEngine
internal import WhereaboutsSharingEngine

/// Objects when an honest request is not answered in time although only strangers and liars disturb the system.
///
/// Applies only to a world without other faults: with faults of networks or disks, or slow people, no time is promised.
struct ServiceAuditor {
    /// The maximum time until an answer; without faults it takes 2 to 6 s.
    ///
    /// A start of the receiver and of an extension, one push that the server repeats after 5 s, and the network's delays.
    static let patience = Duration.seconds(15)

    private unowned let world: Simulation

    init(_ world: Simulation) {
        self.world = world
    }

    /// A requester sends a request under a grant.
    ///
    /// - Returns: a function to call with the end of the request.
    func asked(_ index: Int, _ precision: Precision) -> (RequestState.Kind, Answer?) -> Void {
        guard self.world.isCalm, self.mustAnswer(index, precision) else { return { _, _ in } }
        let made = self.world.now
        let isBesieged = self.world.strangers.isBlowing
        return { [world = self.world] kind, answer in
            if isBesieged { world.census.add("an honest request ends while strangers try") }
            // A lying gateway may have spent the budget meanwhile, and a person may have withdrawn their permission.
            guard self.mustAnswer(index, precision) else { return }
            let took = made.duration(to: world.now)
            if kind != .answered || took > Self.patience {
                world.fail("an honest request under grant \(index) ended as \(kind) after \(took) in a calm world")
            }
        }
    }

    /// Whether a request under a grant must be answered with a position now.
    private func mustAnswer(_ index: Int, _ precision: Precision) -> Bool {
        guard let grant = self.world.grant(index)?.value, precision <= grant.precision else { return false }
        let plan = self.world.scenario.grants[index]
        guard self.world.devices.indices.contains(plan.device),
            self.world.devices[plan.device].plan.apps.indices.contains(plan.app)
        else { return false }
        let device = self.world.devices[plan.device]
        // The server must have a registration with a token.
        guard let known = try? self.world.server.store.view.registration(of: grant.sharer), !known.token.isEmpty else {
            return false
        }
        return Progress(self.world).expectation(plan, grant, device, Names.bundle(plan.app)).must
    }
}

extension Scenario {
    /// Whether the scenario has no faults except the attacks of strangers and the lies of servers.
    var isCalm: Bool {
        self.deaths.isEmpty && self.requesters.allSatisfy { $0.clockError == 0 }
            && self.acts.allSatisfy { act in
                switch act.what {
                case .ask, .revoke, .begin, .endSchedules, .follow, .stopFollowing, .endFollowings, .open, .hide, .use,
                    .deafen, .lightDisplay, .storm, .flood:
                    true
                case .gatewayLies(let lie, _): lie != .repeats
                case .serverLies(let lie, _): lie == .replays || lie == .admits
                case .backUp, .restore, .answerHere, .removeDevice, .takeBack, .lose: false
                case .receive, .close, .set, .setPrecise, .switchServices, .behave, .forbid, .crash, .misbehave,
                    .uninstall, .fork,
                    .relayLies, .kill, .cut, .weather, .stepClock, .fillDisk, .slow, .failDisk, .rollBack,
                    .exchangeSnapshot:
                    false
                }
            }
    }
}
