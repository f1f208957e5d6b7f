internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Objects when something is acknowledged that is not on disk at that moment: a crash right then would undo it.
struct DiskAuditor {
    private unowned let world: Simulation

    init(_ world: Simulation) {
        self.world = world
    }

    // MARK: Devices

    /// A device acknowledges a push to the gateway.
    func acknowledged(_ push: PushID, by device: DeviceNode) {
        self.world.census.add("acknowledged: push")
        if device.files.spool[push] == nil {
            self.world.fail("\(device.id) acknowledged the push \(push.low), which is not on its disk")
        }
    }

    /// A device performed its core's actions; an order that is reported as done must be on disk by then (if the write failed,
    /// the host reports that instead).
    func told(_ actions: [DeviceCore.Action], _ device: DeviceNode) {
        guard device.isSaved, let saved = device.files.snapshot else { return }
        for case .answer(_, .done) in actions {
            self.world.census.add("acknowledged: order")
            let now = device.core.engine.snapshot(now: device.engineNow.monotonic)
            if saved.apps != now.apps || saved.servicesOn != now.servicesOn {
                self.world.fail("\(device.id) reported an order as done before it was on its disk")
            }
        }
    }

    /// An extension posts an answer; if it were not on disk, the next process would give another one; if it were not in the journal, the
    /// person would not see it.
    func posts(_ answer: GivenAnswers.Undelivered, _ device: DeviceNode, _ bundle: BundleID) {
        self.world.census.add("acknowledged: answer")
        let profile = device.profile(of: bundle)
        let number = self.world.number(of: answer.request)
        let made = profile.journal.first { entry in
            if case .answered = entry.event { entry.request == answer.request } else { false }
        }
        guard let made else {
            self.world.fail("\(device.id) answered request \(number), and its journal has no entry for the answer")
            return
        }
        // If the clock was set since, the request may have ended for the device, and its answer is no longer kept.
        let policy = SharingPolicy()
        let age = made.time.duration(to: device.engineNow.wall)
        let isDue = max(age, .zero - age) <= policy.lifetimeMax + policy.clockSkewMax
        if isDue, !profile.answers.undelivered.contains(answer) {
            self.world.fail("\(device.id) answered request \(number), and the answer is not on its disk")
        }
    }

    // MARK: The server

    /// The server accepted a request.
    func accepted(_ signed: Signed<Request>, by server: ServerNode) {
        self.world.census.add("acknowledged: request")
        if !server.store.contains(signed.value.id) {
            self.world.fail(
                "the server accepted request \(self.world.number(of: signed.value.id)), which is not on its disk"
            )
        }
    }

    /// The server confirmed a revocation.
    func confirmed(_ revocation: Revocation, by server: ServerNode) {
        self.world.census.add("acknowledged: revocation")
        let key = ModelRequestStore.GrantKey(sharer: revocation.sharer, grant: revocation.grant)
        // A revocation that ended with its grant is confirmed without being stored, so that the device does not send it again.
        guard revocation.notAfter > server.wall else { return }
        if server.store.revocations[key] == nil {
            self.world.fail("the server confirmed a revocation that is not on its disk")
        }
    }
}
