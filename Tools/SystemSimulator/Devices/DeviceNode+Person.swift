internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The device as one of its person's devices: the work of `Sharer` and `whereabouts devices` over the modelled network.
extension DeviceNode {
    private static let timeout = Duration.seconds(10)

    /// Returns the next registration of the device; nil if the device was removed, or the disk is full.
    ///
    /// The device's first registration has a later time than the other devices' at the server.
    func registrationDue(_ token: [UInt8], of bundle: BundleID, after others: [Registration]) -> Registration? {
        let issued = self.nextRegistrationTime(of: bundle, after: others.map(\.issued))
        if self.profile(of: bundle).standing == nil {
            guard !self.isDiskFull else { return nil }
            self.profiles[bundle]?.makeDevice(after: others.map(\.device.chosen), now: issued)
        }
        guard self.profile(of: bundle).standing?.registrationDue() == .tell else { return nil }
        self.profiles[bundle]?.token = token
        return self.registration(of: bundle, issued: issued)
    }

    private func registration(of bundle: BundleID, issued: WallTime) -> Registration? {
        let profile = self.profile(of: bundle)
        guard let device = try? profile.registeredDevice() else { return nil }
        return try? Registration(
            sharer: profile.identity,
            token: profile.token,
            topic: bundle.rawValue,
            issued: issued,
            device: device
        )
    }

    /// Stores the server's report that the person removed the device.
    func learned(removalOf registration: Registration, _ bundle: BundleID) {
        guard !self.isDiskFull, self.profile(of: bundle).standing?.id == registration.device.id else { return }
        self.profiles[bundle]?.standing?.removed()
        self.world.census.add("a removed device learns of it")
    }

    /// The person chooses this device to answer for them.
    func answerHere(_ bundle: BundleID) {
        guard let own = self.profile(of: bundle).standing?.id else { return }
        self.trace("is chosen", UInt64(Names.index(of: bundle)))
        let (server, permit) = (self.world.server, DevicesPermit(sharer: self.profile(of: bundle).identity))
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.devices(ModelNotary.sign(permit))
        } then: { [unowned self] result in
            guard case .success(let all) = result, !self.world.isLost(self) else { return }
            self.choose(after: all.map(\.device).filter { $0.id != own }.map(\.chosen), bundle)
        }
    }

    private func choose(after others: [WallTime], _ bundle: BundleID) {
        guard !self.isDiskFull,
            let action = self.profiles[bundle]?.standing?.chosen(after: others, now: self.sharingWall)
        else { return }
        if case .makeAnother(let chosen) = action { self.profiles[bundle]?.makeDevice(after: [], now: chosen) }
        guard let registration = self.registration(of: bundle, issued: self.nextRegistrationTime(of: bundle)) else {
            return
        }
        let (server, address) = (self.world.server, self.id.address)
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.register(ModelNotary.sign(registration), from: address)
        } then: { [unowned self] result in
            guard case .success(.removed?) = result, !self.world.isLost(self) else { return }
            self.learned(removalOf: registration, bundle)
            if self.profile(of: bundle).standing?.isRemoved == true { self.choose(after: others, bundle) }
        }
    }

    /// The person removes another of their devices, or this one, but not the last one.
    func remove(_ other: DeviceNode, _ bundle: BundleID) {
        let sharer = self.profile(of: bundle).identity
        guard let id = other.profile(of: bundle).standing?.id, other.profile(of: bundle).identity == sharer else {
            return
        }
        self.trace("removes a device", UInt64(other.index))
        let server = self.world.server
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.devices(ModelNotary.sign(DevicesPermit(sharer: sharer)))
        } then: { [unowned self] result in
            guard case .success(let all) = result, !self.world.isLost(self) else { return }
            guard !DeviceRemoval.leavesNone(id, of: all.map(\.device.id)) else {
                return self.world.census.add("a last device is kept")
            }
            self.world.call(from: self.id, to: server, timeout: Self.timeout) {
                try server.remove(ModelNotary.sign(DeviceRemoval(device: id, sharer: sharer)))
            } then: { _ in
            }
        }
    }
}

/// The acts of people who have several devices.
extension Simulation {
    func isLost(_ device: DeviceNode) -> Bool { self.lost.contains(device.index) }

    /// The first device of the person who has a device.
    func firstDevice(of device: DeviceNode) -> DeviceNode {
        guard let first = device.plan.personOf, first < device.index else { return device }
        return self.devices[first]
    }

    /// The sharing apps that both devices have.
    private func sharingApps(_ device: DeviceNode, _ other: DeviceNode) -> [BundleID] {
        zip(device.plan.apps, other.plan.apps).enumerated()
            .filter { $0.element.0.kind == .friends && $0.element.1.kind == .friends }.map { Names.bundle($0.offset) }
    }

    func performWithDevices(_ act: Scenario.Act.What) {
        switch act {
        case .backUp(let index):
            guard let device = self.device(index), !self.isLost(device) else { return }
            self.backUp(device)
        case .restore(let index):
            guard let device = self.device(index), !self.isLost(device) else { return }
            device.perform { try self.restore(device) }
        case .answerHere(let index, let app):
            self.onDevice(index, app) { device, bundle in
                if !self.isLost(device) { device.answerHere(bundle) }
            }
        case .removeDevice(let other, let index, let app):
            guard let other = self.device(other) else { return }
            self.onDevice(index, app) { device, bundle in
                if !self.isLost(device) { device.remove(other, bundle) }
            }
        case .takeBack(let index, let on):
            guard let grant = self.grant(index)?.value, let device = self.device(on), !self.isLost(device),
                let bundle = self.bundle(device, self.scenario.grants[index].app),
                device.profile(of: bundle).identity == grant.sharer, device.record(revocationOf: grant.id, by: bundle)
            else { return }
            device.trace("takes a grant back", UInt64(index))
            self.census.add("a grant is taken back on another device")
            self.tell(ModelNotary.sign(Revocation(of: grant)), of: device)
        case .lose(let index):
            guard let device = self.device(index), !self.isLost(device) else { return }
            self.lose(device)
        default: break
        }
    }

    private func backUp(_ device: DeviceNode) {
        let first = self.firstDevice(of: device)
        for bundle in self.sharingApps(first, device) {
            let profile = device.profile(of: bundle)
            // A device without a restored identity belongs to no person.
            guard profile.identity == first.profile(of: bundle).identity else { continue }
            self.backups[first.index, default: [:]][bundle] = self.auditors.devices.backup(profile)
        }
    }

    /// Restores the person's backup on a device, and replaces the profile there.
    ///
    /// If there is no backup, makes one of the first device.
    private func restore(_ device: DeviceNode) throws {
        let first = self.firstDevice(of: device)
        if self.backups[first.index] == nil, !self.isLost(first) { self.backUp(first) }
        for bundle in self.sharingApps(first, device) {
            guard let backup = self.backups[first.index]?[bundle], device.isInstalled(bundle), !device.isDiskFull else {
                continue
            }
            // As if the app were installed again: no process continues with the earlier profile.
            try device.close(bundle)
            for case .pushExtension(let launch) in device.extensions.values.filter({ $0.bundle == bundle }).map(\.role)
            {
                try device.endExtension(launch, .signalled(9))
            }
            self.restored += 1
            let profile = Home(restoring: backup.profile, count: self.restored)
            device.profiles[bundle] = profile
            self.auditors.devices.restored(profile, from: backup)
            device.trace("is restored", UInt64(Names.index(of: bundle)))
            self.census.add("a device is restored")
        }
    }

    /// The device is lost, and silent forever.
    private func lose(_ device: DeviceNode) {
        // A device that is about to start again does so first.
        guard device.isUp else { return self.later(.seconds(1)) { [unowned self] in self.lose(device) } }
        self.lost.insert(device.index)
        self.census.add("a device is lost")
        for process in Array(device.apps.values) + Array(device.extensions.values) { process.die() }
        device.apps = [:]
        device.extensions = [:]
        // Longer than any run.
        device.kill(for: .seconds(1_000_000_000))
    }
}
