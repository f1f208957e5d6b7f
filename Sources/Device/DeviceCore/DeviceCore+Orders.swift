internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Orders: validated as a whole before anything changes.
extension DeviceCore {
    mutating func ordered(_ order: Order, _ id: OrderID, _ actions: inout [Action], now: Now) {
        if let refusal = self.refusal(of: order) {
            actions.append(.answer(id, .refused(refusal)))
            return
        }
        switch order {
        case .run(let bundle, let phase, let arguments): self.run(bundle, phase, arguments, id, &actions, now: now)
        case .close(let bundle, let cause): self.close(bundle, by: cause, id, &actions, now: now)
        case .show(let bundle, let phase):
            self.show(bundle, phase, &actions, now: now)
            actions.append(.answer(id, .done))
        case .install(let bundle, let manifest): self.install(bundle, manifest, id, &actions, now: now)
        case .remove(let bundle):
            self.remove(bundle, &actions, now: now)
            actions.append(.answer(id, .done))
        case .change(let change):
            self.change(change, &actions, now: now)
            actions.append(.answer(id, .done))
        case .push(let push): self.pushArrived(push, .owner(id), &actions, now: now)
        }
    }

    /// Why an order is not carried out; nil when it is.
    private func refusal(of order: Order) -> OrderRefusal? {
        switch order {
        case .run(let bundle, _, let arguments):
            guard self.engine.isInstalled(bundle) else { return .notInstalled(bundle) }
            return self.hasProcess(bundle) && !arguments.isEmpty ? .runsWithOtherArguments(bundle) : nil
        case .close(let bundle, _):
            guard self.engine.isInstalled(bundle) else { return .notInstalled(bundle) }
            return self.runs.all[bundle] == nil ? .notRunning(bundle) : nil
        case .show(let bundle, _):
            guard self.engine.isInstalled(bundle) else { return .notInstalled(bundle) }
            return self.hasProcess(bundle) ? nil : .notRunning(bundle)
        case .install: return nil
        case .remove(let bundle): return self.engine.isInstalled(bundle) ? nil : .notInstalled(bundle)
        case .push(let push):
            guard self.engine.isInstalled(push.bundle) else { return .notInstalled(push.bundle) }
            return push.isObject ? nil : .payloadIsNoObject
        case .change(let change): return self.refusal(of: change)
        }
    }

    private func refusal(of change: SettingsChange) -> OrderRefusal? {
        if let bundle = change.bundle {
            guard let status = self.engine.status(of: bundle) else { return .notInstalled(bundle) }
            if change.location != nil || change.isPrecise != nil, status.restriction != .none {
                return .restricted(bundle, status.restriction)
            }
        }
        return change.areServicesOn != nil && self.engine.areServicesManaged ? .servicesAreManaged : nil
    }

    /// Whether the app has a process, no matter who started it.
    private func hasProcess(_ bundle: BundleID) -> Bool {
        if self.runs.all[bundle] != nil { return true }
        switch self.engine.status(of: bundle)?.process {
        case .foreground, .headless, .background, .suspended: return true
        case .notRunning, nil: return false
        }
    }

    private mutating func run(
        _ bundle: BundleID,
        _ phase: Lifecycle.Phase,
        _ arguments: [String],
        _ id: OrderID,
        _ actions: inout [Action],
        now: Now
    ) {
        guard !self.hasProcess(bundle) else {
            self.show(bundle, phase, &actions, now: now)
            actions.append(.answer(id, .done))
            return
        }
        let arrival = Lifecycle.Arrival(phase: phase, isManaged: true)
        self.runs.began(bundle, arrival, for: id)
        actions.append(.process(.startApp(bundle, arguments: arguments, arrival)))
    }

    private mutating func show(_ bundle: BundleID, _ phase: Lifecycle.Phase, _ actions: inout [Action], now: Now) {
        if self.runs.all[bundle] != nil {
            self.runs.shown(bundle, as: phase)
            actions.append(.recordProcesses)
        }
        self.feed(.phaseChanged(bundle, phase), &actions, now: now)
    }

    private mutating func close(
        _ bundle: BundleID,
        by cause: Lifecycle.Cause,
        _ id: OrderID,
        _ actions: inout [Action],
        now: Now
    ) {
        self.runs.closing(bundle, for: id, patience: AppRuns.closingPatience, now: now.monotonic)
        self.feed(.terminationBegan(bundle, by: cause), &actions, now: now)
        actions.append(.process(.endApp(bundle)))
    }

    /// Installs an app's new files, and ends the running version, whose files are gone.
    ///
    /// The next version continues with all claims of the running one. An extension has read its files, and ends by itself.
    private mutating func install(
        _ bundle: BundleID,
        _ manifest: AppManifest,
        _ id: OrderID,
        _ actions: inout [Action],
        now: Now
    ) {
        self.feed(.appInstalled(bundle, manifest), &actions, now: now)
        guard self.runs.all[bundle] != nil else { return actions.append(.answer(id, .done)) }
        self.close(bundle, by: .system, id, &actions, now: now)
    }

    private mutating func remove(_ bundle: BundleID, _ actions: inout [Action], now: Now) {
        self.feed(.appUninstalled(bundle), &actions, now: now)
        self.disconnect(self.connections.of(bundle), &actions, now: now)
        if self.runs.all[bundle] != nil { actions.append(.process(.killApp(bundle))) }
        for (launch, owner) in self.extensions where owner == bundle {
            actions.append(.process(.killExtension(launch)))
        }
    }

    private mutating func change(_ change: SettingsChange, _ actions: inout [Action], now: Now) {
        if let isOn = change.areServicesOn { self.feed(.servicesSwitched(on: isOn), &actions, now: now) }
        guard let bundle = change.bundle else { return }
        if let location = change.location { self.feed(.authorizationSet(bundle, location), &actions, now: now) }
        if let isPrecise = change.isPrecise {
            self.feed(.accuracySet(bundle, precise: isPrecise), &actions, now: now)
        }
    }
}
