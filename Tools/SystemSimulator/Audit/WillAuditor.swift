internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Keeps account of people's decisions, and objects when a device's state differs from them.
final class WillAuditor {
    /// A person's decision about an app.
    struct Will: Equatable {
        enum Decision: Equatable {
            /// No decision yet, or Ask Next Time; `once`: Allow Once, until the app is no longer in use.
            case undecided(once: Bool)
            case never
            case whileUsing
            case always
        }

        var decision = Decision.undecided(once: false)
        var isPrecise: Bool
    }

    private unowned let world: Simulation
    private var wills: [AppKey: Saved<Will>] = [:]
    private var services: [Int: Saved<Bool>] = [:]
    /// The decisions on the disk of a device over time, if the scenario rolls disks back.
    private var history: [Int: DiskHistory<Books>] = [:]

    /// The decisions about one device.
    private struct Books {
        var wills: [AppKey: Saved<Will>] = [:]
        var services: Saved<Bool>?
    }

    init(_ world: Simulation) {
        self.world = world
    }

    // MARK: Questions

    func will(_ device: DeviceNode, _ bundle: BundleID) -> Will {
        self.wills[AppKey(device, bundle)]?.newest ?? self.first(device, bundle)
    }

    /// The will of a person who was not asked yet.
    private func first(_ device: DeviceNode, _ bundle: BundleID) -> Will {
        Will(isPrecise: !device.plan(of: bundle).isReduced)
    }

    /// Whether location services are on, by the person and by the owner.
    func areServicesOn(_ device: DeviceNode) -> Bool {
        device.management.locationServices ?? self.services[device.index]?.newest ?? true
    }

    /// Whether the app may receive locations at all, in the foreground or in the background.
    func allows(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        guard self.areServicesOn(device), !self.isForbidden(device, bundle) else { return false }
        return switch self.will(device, bundle).decision {
        case .undecided(let once): once
        case .never: false
        case .whileUsing, .always: true
        }
    }

    func isForbidden(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        device.management.rule(for: bundle).restriction == .forbidden
    }

    // MARK: Events

    func deviceWill(_ event: DeviceCore.Event, _ device: DeviceNode) {
        switch event {
        case .happened(.promptAnswered(let id, let answer)):
            guard let prompt = device.prompt, prompt.id == id else { return }
            self.begin(device, prompt.bundle) { Self.decide(&$0, prompt.question, answer) }
        case .ordered(.change(let change), _): self.changed(change, device)
        default: break
        }
    }

    private func changed(_ change: SettingsChange, _ device: DeviceNode) {
        if let isOn = change.areServicesOn {
            self.services[device.index, default: Saved(true)].begin { $0 = isOn }
        }
        guard let bundle = change.bundle, device.management.rule(for: bundle).restriction == .none else { return }
        if let isPrecise = change.isPrecise { self.begin(device, bundle) { $0.isPrecise = isPrecise } }
        guard let setting = change.location else { return }
        self.begin(device, bundle) { will in
            will.decision =
                switch setting {
                case .never: .never
                case .askNextTime: .undecided(once: false)
                case .whileUsing: .whileUsing
                case .always: .always
                }
        }
    }

    private func begin(_ device: DeviceNode, _ bundle: BundleID, _ change: (inout Will) -> Void) {
        self.wills[AppKey(device, bundle), default: Saved(self.first(device, bundle))].begin(change)
    }

    private static func decide(_ will: inout Will, _ question: Prompt.Question, _ answer: Prompt.Answer) {
        // A prompt without the switch for precision leaves the setting as it is.
        let offersPrecise = question == .whenInUse(offersPrecise: true)
        switch answer {
        case .dontAllow: will.decision = .never
        case .allowOnce(let precise):
            will.decision = .undecided(once: true)
            if offersPrecise { will.isPrecise = precise }
        case .allowWhileUsing(let precise):
            will.decision = .whileUsing
            if offersPrecise { will.isPrecise = precise }
        case .keepWhileUsing: will.decision = .whileUsing
        case .changeToAlways: will.decision = .always
        case .allowFullAccuracy, .denyFullAccuracy: break
        }
    }

    func removed(_ bundle: BundleID, on device: DeviceNode) { self.wills[AppKey(device, bundle)] = nil }

    func saved(on device: DeviceNode) {
        self.services[device.index]?.saved()
        for bundle in device.bundles { self.wills[AppKey(device, bundle)]?.saved() }
        self.world.auditors.sessions.saved(on: device)
        self.copy(device)
    }

    func mayBeSaved(on device: DeviceNode) {
        self.services[device.index]?.mayBeSaved()
        for bundle in device.bundles { self.wills[AppKey(device, bundle)]?.mayBeSaved() }
        self.world.auditors.sessions.mayBeSaved(on: device)
        self.copy(device)
    }

    private func copy(_ device: DeviceNode) {
        guard self.world.rollsBack else { return }
        let books = Books(
            wills: self.wills.filter { $0.key.device == device.index },
            services: self.services[device.index]
        )
        self.history[device.index, default: DiskHistory(Books())].append(books, at: self.world.now)
    }

    /// The device's disk was rolled back: later decisions are undone.
    func deviceRolledBack(_ device: DeviceNode, by span: Duration) {
        let books = self.history[device.index]?.takeBack(self.world.now, before: span) ?? Books()
        self.wills = self.wills.filter { $0.key.device != device.index }.merging(books.wills) { $1 }
        self.services[device.index] = books.services
    }

    func deviceDid(_ device: DeviceNode, _ statuses: DeviceNode.Statuses) {
        self.services[device.index]?.done()
        self.compareServices(device)
        for bundle in device.bundles { self.wills[AppKey(device, bundle)]?.done() }
        for (bundle, status) in statuses {
            if case .undecided(once: true) = self.will(device, bundle).decision, !status.isForOnce {
                // Allow Once ends when the app is no longer in use; the privacy auditor checks deliveries.
                self.wills[AppKey(device, bundle)]?.begin { $0.decision = .undecided(once: false) }
                self.wills[AppKey(device, bundle)]?.done()
            }
            let isGone = device.apps[bundle] == nil && !self.world.auditors.sessions.isInUse(device, bundle)
            if status.isForOnce, isGone {
                self.world.fail("\(device.id) still allows \(bundle) once, although the app is no longer in use")
            }
            if !Self.matches(self.will(device, bundle), status) { self.object(device, bundle, status) }
        }
    }

    func deviceStarted(_ device: DeviceNode) {
        // The owner's rules come later: the engine has restored only the person's switch.
        _ = self.services[device.index]?.restored { $0 == device.areServicesOn }
        if let isOn = self.services[device.index]?.current, isOn != device.areServicesOn {
            self.world.fail(
                "\(device.id) started with location services on: \(!isOn); expected the person's choice: \(isOn)"
            )
        }
        for bundle in device.bundles {
            guard var restored = self.wills[AppKey(device, bundle)] else { continue }
            let status = device.status(of: bundle)
            let isFound = restored.restored { will in
                // A disk without the app has the state before the person's first decision.
                guard let status else { return will == self.first(device, bundle) }
                // Allow Once may have ended in the write during which the device died.
                var lapsed = will
                if case .undecided = will.decision { lapsed.decision = .undecided(once: false) }
                return Self.matches(will, status) || Self.matches(lapsed, status)
            }
            if !isFound { self.object(device, bundle, status) }
            self.wills[AppKey(device, bundle)] = restored
        }
    }

    private func compareServices(_ device: DeviceNode) {
        guard device.areServicesOn != self.areServicesOn(device) else { return }
        self.world.fail(
            "\(device.id) has location services on: \(device.areServicesOn); the person or the owner decided the opposite"
        )
    }

    private func object(_ device: DeviceNode, _ bundle: BundleID, _ status: AppStatus?) {
        let found = status.map { "the setting \($0.setting), precise \($0.isPreciseForGood)," } ?? "no setting"
        self.world.fail(
            "\(device.id) has \(found) for \(bundle); expected the person's choice: \(self.will(device, bundle))"
        )
    }

    private static func matches(_ will: Will, _ status: AppStatus) -> Bool {
        guard will.isPrecise == status.isPreciseForGood else { return false }
        return switch will.decision {
        case .undecided(let once): status.setting == .askNextTime && status.isForOnce == once
        case .never: status.setting == .never
        case .whileUsing: status.setting == .whileUsing
        case .always: status.setting == .always
        }
    }
}
