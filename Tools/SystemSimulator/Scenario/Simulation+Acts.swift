internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The acts of the scenario.
extension Simulation {
    /// Plans all acts; to be called once, at the beginning.
    func planActs() {
        for act in self.scenario.acts {
            self.later(.milliseconds(act.at)) { [unowned self] in self.perform(act.what) }
        }
    }

    /// The grant of a plan, signed by its sharer.
    func grant(_ index: Int) -> Signed<Grant>? {
        guard self.scenario.grants.indices.contains(index) else { return nil }
        let plan = self.scenario.grants[index]
        guard let id = GrantID(bytes: Array(Names.key(4, index, 0).prefix(GrantID.byteCount))) else { return nil }
        func wall(_ second: Int) -> WallTime {
            .init(milliseconds: Instant.epochMicroseconds / 1000 + Int64(second) * 1000)
        }
        return ModelNotary.sign(
            Grant(
                id: id,
                sharer: Names.sharer(device: plan.device, app: plan.app),
                requester: Names.requester(plan.requester),
                precision: plan.isFull ? .full : .reduced,
                notBefore: wall(plan.holds.lowerBound),
                notAfter: wall(plan.holds.upperBound),
                intervalMin: UInt32(plan.interval),
                hours: plan.dayHours,
                usesMax: plan.usesMax.map { UInt16(clamping: $0) },
                asksPerson: plan.asksPerson ?? false,
                followMinutesMax: plan.followMinutes.map { UInt16(clamping: $0) }
            )
        )
    }

    /// A scenario that was made smaller may name a device that no longer exists: such an act has no effect.
    func device(_ index: Int) -> DeviceNode? {
        self.devices.indices.contains(index) ? self.devices[index] : nil
    }

    func bundle(_ device: DeviceNode, _ app: Int) -> BundleID? {
        device.plan.apps.indices.contains(app) ? Names.bundle(app) : nil
    }

    func onDevice(_ index: Int, _ app: Int, _ body: (DeviceNode, BundleID) throws -> Void) {
        guard let device = self.device(index), let bundle = self.bundle(device, app) else { return }
        device.perform { try body(device, bundle) }
    }

    private func perform(_ act: Scenario.Act.What) {
        switch act {
        case .ask(let grant, let precisely, let xWing): self.ask(grant, precisely: precisely, xWing: xWing)
        case .revoke(let grant): self.revoke(grant)
        case .follow(let grant, let precisely, let minutes): self.follow(grant, precisely: precisely, minutes: minutes)
        case .begin(let grant, let everyMinutes, let minutes):
            self.begin(schedule: grant, everyMinutes: everyMinutes, minutes: minutes)
        case .endSchedules(let device, let app): self.onDevice(device, app) { $0.endSchedules(of: $1) }
        case .stopFollowing(let requester):
            guard self.requesters.indices.contains(requester) else { return }
            self.requesters[requester].perform { self.requesters[requester].stopFollowing() }
        case .endFollowings(let device, let app): self.onDevice(device, app) { $0.endFollowings(of: $1) }
        case .open(let device, let app): self.onDevice(device, app) { try $0.open($1) }
        case .hide(let device, let app): self.onDevice(device, app) { try $0.hide($1) }
        case .close(let device, let app): self.onDevice(device, app) { try $0.close($1) }
        case .use(let device, let app, let isOn): self.onDevice(device, app) { $0.use($1, isOn: isOn) }
        case .set(let device, let app, let setting):
            self.onDevice(device, app) { try $0.order(.change(.init(bundle: $1, location: setting.engine))) }
        case .setPrecise(let device, let app, let isPrecise):
            self.onDevice(device, app) { try $0.order(.change(.init(bundle: $1, isPrecise: isPrecise))) }
        case .switchServices(let index, let isOn):
            guard let device = self.device(index) else { return }
            device.perform { try device.order(.change(.init(areServicesOn: isOn))) }
        case .behave(let device, let habit): self.device(device)?.habit = habit
        case .lightDisplay(let index):
            guard let device = self.device(index) else { return }
            device.perform {
                self.auditors.conditions.displayLit(on: device)
                try device.feed(.displayLit)
            }
        case .forbid(let device, let app, let isForbidden):
            self.onDevice(device, app) { device, bundle in
                device.management.apps[bundle] = isForbidden ? .init(restriction: .forbidden) : nil
                try device.feed(.managementChanged(device.management))
            }
        case .crash(let device, let app): self.onDevice(device, app) { try $0.end($1, .signalled(11)) }
        case .misbehave(let device, let app, let how):
            self.onDevice(device, app) { $0.misbehaviours[$1] = how }
        case .fork(let device, let app, let span, let every):
            let end = self.now.advanced(by: .milliseconds(span))
            self.onDevice(device, app) { $0.fork($1, until: end, every: .milliseconds(every)) }
        case .uninstall(let device, let app): self.onDevice(device, app) { try $0.uninstall($1) }
        case .receive(let device, let hasSignal): self.device(device)?.receiver.hasSignal = hasSignal
        case .kill, .cut, .weather, .stepClock, .fillDisk, .slow, .failDisk, .rollBack, .exchangeSnapshot, .deafen:
            self.spoil(act)
        case .storm, .gatewayLies, .serverLies, .relayLies, .flood: self.attack(act)
        case .backUp, .restore, .answerHere, .removeDevice, .takeBack, .lose: self.performWithDevices(act)
        }
    }

    private func spoil(_ act: Scenario.Act.What) {
        switch act {
        case .kill(let id, let pause): self.node(id)?.kill(for: .milliseconds(pause))
        case .cut(let one, let other, let span):
            for way in [Network.Way(from: one, to: other), Network.Way(from: other, to: one)] {
                self.network.cut(way, until: self.now.advanced(by: .milliseconds(span)))
            }
        case .weather(let weather): self.network.weather = weather
        case .stepClock(let id, let seconds):
            self.clockWasSet(id)
            self.node(id)?.clockError += .seconds(seconds)
        case .fillDisk(let id, let span):
            guard let node = self.node(id) else { return }
            self.diskWasFull(id)
            node.fillDisk(until: self.now.advanced(by: .milliseconds(span)))
        case .slow(let id, let span, let delay):
            self.node(id)?.slow(until: self.now.advanced(by: .milliseconds(span)), by: .milliseconds(delay))
        case .failDisk(let id, let span):
            guard let node = self.node(id) else { return }
            // The machine treats a failing disk like a full one.
            self.diskWasFull(id)
            node.failDisk(until: self.now.advanced(by: .milliseconds(span)))
        case .rollBack(let id, let seconds):
            guard let node = self.node(id) else { return }
            // An old disk lacks pushes that were charged, like a full disk.
            self.diskWasFull(id)
            node.rollBack(by: .seconds(seconds))
        case .exchangeSnapshot(let index, let seconds, let span):
            guard let device = self.device(index) else { return }
            device.putSnapshot(from: .seconds(seconds))
            self.later(.milliseconds(span)) { device.mendSnapshot() }
        case .deafen(let index, let fault, let span):
            guard let device = self.device(index) else { return }
            device.spoilScanner(fault)
            self.later(.milliseconds(span)) { device.mendScanner() }
        default: break
        }
    }

    private func attack(_ act: Scenario.Act.What) {
        func end(_ span: Int) -> Instant { self.now.advanced(by: .milliseconds(span)) }
        switch act {
        case .storm(let storm, let span, let every):
            self.strangers.blow(storm, until: end(span), every: .milliseconds(every))
        case .gatewayLies(let lie, let span): self.gateway.tell(lie, until: end(span))
        case .serverLies(let lie, let span): self.server.tell(lie, until: end(span))
        case .relayLies(let lie, let span): self.relay.tell(lie, until: end(span))
        case .flood(let flood, let span, let every):
            self.sender.send(flood, until: end(span), every: .milliseconds(every))
        default: break
        }
    }

    // MARK: Requesters and sharers

    private func ask(_ index: Int, precisely: Bool, xWing: Bool) {
        guard let grant = self.grant(index) else { return }
        let requester = self.scenario.grants[index].requester
        guard self.requesters.indices.contains(requester) else { return }
        self.requesters[requester].perform {
            let hear = self.auditors.service.asked(index, precisely ? .full : .reduced)
            self.requesters[requester].ask(grant, precisely ? .full : .reduced, xWing ? .xWing : .x25519, then: hear)
        }
    }

    private func follow(_ index: Int, precisely: Bool, minutes: Int) {
        guard let grant = self.grant(index) else { return }
        let requester = self.scenario.grants[index].requester
        guard self.requesters.indices.contains(requester) else { return }
        self.requesters[requester].perform {
            self.requesters[requester].ask(
                grant,
                precisely ? .full : .reduced,
                .x25519,
                followMinutes: UInt16(clamping: minutes)
            )
        }
    }

    private func begin(schedule index: Int, everyMinutes: Int, minutes: Int) {
        guard let grant = self.grant(index) else { return }
        let requester = self.scenario.grants[index].requester
        guard self.requesters.indices.contains(requester) else { return }
        self.requesters[requester].perform {
            let end = self.requesters[requester].clocks.wall.advanced(by: .seconds(minutes * 60))
            self.requesters[requester].ask(
                grant,
                .full,
                .x25519,
                repeating: Repetition(everyMinutes: UInt16(clamping: everyMinutes), until: end)
            )
        }
    }

    /// Revokes a grant: on the device at once, then on the server, again and again until the server replies.
    private func revoke(_ index: Int) {
        guard let grant = self.grant(index)?.value, let device = self.device(self.scenario.grants[index].device),
            let bundle = self.bundle(device, self.scenario.grants[index].app),
            device.record(revocationOf: grant.id, by: bundle)
        else { return }
        device.trace("takes a grant back", UInt64(index))
        self.tell(ModelNotary.sign(Revocation(of: grant)), of: device)
    }

    func tell(_ revocation: Signed<Revocation>, of device: DeviceNode) {
        guard !self.isLost(device) else { return }
        let server = self.server
        self.call(from: device.id, to: server, timeout: .seconds(10)) {
            try server.revoke(revocation, from: device.id.address)
        } then: { [unowned self] result in
            if case .success(true) = result { return }
            self.later(.seconds(5)) { [unowned self] in self.tell(revocation, of: device) }
        }
    }
}

/// A person's acts with the apps on their device.
extension DeviceNode {
    func open(_ bundle: BundleID) throws {
        guard self.isInstalled(bundle) else { return }
        self.trace("a person opens an app", UInt64(Names.index(of: bundle)))
        for other in self.apps.values where other.bundle != bundle && other.phase == .foreground {
            try self.hide(other.bundle)
        }
        self.apps[bundle]?.shown(as: .foreground)
        try self.order(.run(bundle, .foreground))
    }

    func hide(_ bundle: BundleID) throws {
        guard let process = self.apps[bundle], process.phase == .foreground else { return }
        self.trace("a person leaves an app", UInt64(Names.index(of: bundle)))
        process.shown(as: .background)
        try self.order(.show(bundle, .background))
    }

    func close(_ bundle: BundleID) throws {
        guard self.apps[bundle] != nil else { return }
        self.trace("a person closes an app", UInt64(Names.index(of: bundle)))
        try self.order(.close(bundle, by: .person))
    }

    /// The app is removed, with all it kept.
    func uninstall(_ bundle: BundleID) throws {
        guard self.isInstalled(bundle) else { return }
        self.trace("a person removes an app", UInt64(Names.index(of: bundle)))
        try self.remove(bundle)
    }

    /// The person ends all live shares of an app, in the app itself or outside it.
    func endFollowings(of bundle: BundleID) {
        for request in self.profile(of: bundle).followers(now: self.sharingWall) {
            guard self.end(request.value.id, .bySharer, of: bundle) else { continue }
            self.trace("a person ends a following", self.world.number(of: request.value.id))
            self.tell(request.value, .bySharer, of: bundle)
        }
    }

    /// The person ends all schedules of an app.
    func endSchedules(of bundle: BundleID) {
        for request in self.profile(of: bundle).schedules.values {
            guard !self.isDiskFull, self.profiles[bundle]?.endedSchedules.insert(request.value.firstID).inserted == true
            else {
                continue
            }
            self.world.auditors.schedules.ended(request.value.firstID, by: self.profile(of: bundle))
            self.tell(request.value, .bySharer, of: bundle)
        }
    }

    func use(_ bundle: BundleID, isOn: Bool) {
        if isOn { self.workouts.insert(bundle) } else { self.workouts.remove(bundle) }
        if let process = self.apps[bundle] as? WorkoutApp { process.run { process.goOn() } }
    }
}
