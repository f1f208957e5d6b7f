internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Follows every push from the gateway's 200 to its end, and objects when one is lost, delivered where it must not be, or
/// more of them are spent than the budget has.
final class PushAuditor {
    private struct Topic: Hashable {
        var device: DeviceKey
        var topic: String
    }

    private struct Paid {
        var at: Instant
        var bundle: BundleID
    }

    /// The time in which an app's share refills, plus the hour until enough of it is back (ADR 0022).
    private static let shareWindow = Duration.seconds(7 * 3600)
    private static let reserve = 60

    /// The budget's capacity plus its refill in a day (ADR 0009).
    private static let budgetPerDay = 360
    private static let day = Duration.seconds(86_400)

    private unowned let world: Simulation
    /// The pushes that the gateway accepted and no device acknowledged.
    private var kept: OrderedDictionary<Topic, StoredPush> = [:]
    /// The topic of the gateway's current input, in case the gateway dies while handling it.
    private var doing: Topic?
    private var enabled: [LinkID: Set<String>] = [:]
    /// The pushes that devices acknowledged and have not removed from their disks.
    private var owed: [Int: OrderedSet<PushID>] = [:]
    /// The pushes charged to each device's budget in the last day.
    private var paid: [Int: [Paid]] = [:]
    private var handed: [Int: [PushID: Int]] = [:]
    /// The pushes whose ends devices reported.
    private var ended: [Int: Set<PushID>] = [:]
    /// The number of pushes that ended with their extension, and are not removed yet.
    private var abandoned: [Int: Int] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    // MARK: The gateway

    func gatewayWill(_ input: Gateway.Input, _ contents: ModelPushContents) {
        switch input {
        case .pushReceived(let push, _, _):
            self.doing = contents.tokens[push.token.bytes].map { Topic(device: $0.device, topic: push.topic) }
        case .requested(.acknowledge(let id), _, let device):
            let push = contents.pushes[device]?.first { $0.id.bytes == id }
            self.doing = push.map { Topic(device: device, topic: $0.topic) }
        case .requested(.unregister(let topic), _, let device): self.doing = Topic(device: device, topic: topic)
        case .linkOpened, .linkClosed, .requested, .sweepDue, .deviceRemoved, .tokenRemoved, .relayEnded:
            self.doing = nil
        }
    }

    func gatewayDid(
        _ input: Gateway.Input,
        _ outputs: [Gateway.Output],
        _ contents: ModelPushContents,
        now: WallTime
    ) {
        self.doing = nil
        // Use the gateway's present clock, even if it is wrong.
        self.kept.removeAll { $0.value.isExpired(now: now) }
        switch input {
        case .pushReceived(let push, _, let ticket):
            guard outputs.contains(.reply(ticket: ticket, nil)), let record = contents.tokens[push.token.bytes] else {
                break
            }
            let topic = Topic(device: record.device, topic: push.topic)
            let stored = contents.pushes[record.device]?.last { $0.topic == push.topic }
            if let stored, stored.payload == push.payload {
                self.kept[topic] = stored
            } else if push.expiration != .once, stored == nil {
                self.world.fail("the gateway accepted a push but did not store it")
            }
        case .requested(.acknowledge(let id), _, let device):
            self.kept.removeAll { $0.key.device == device && $0.value.id.bytes == id }
        case .requested(.unregister(let topic), _, let device):
            self.kept[Topic(device: device, topic: topic)] = nil
        case .requested(.enableTopics(let topics), let link, _): self.enabled[link] = Set(topics)
        case .linkOpened(let link, _, _): self.enabled[link] = []
        case .linkClosed(let link, _): self.enabled[link] = nil
        case .deviceRemoved(let device, _): self.kept.removeAll { $0.key.device == device }
        case .tokenRemoved(let token, _):
            guard let record = contents.tokens[token.bytes] else { break }
            self.kept[Topic(device: record.device, topic: record.topic)] = nil
        case .requested(.register, _, _), .sweepDue, .relayEnded: break
        }
        for case .deliver(let push, let link) in outputs where self.enabled[link]?.contains(push.topic) != true {
            self.world.fail("the gateway delivered a push whose topic the device had not enabled")
        }
        for case .deliver(let push, _) in outputs where push.isExpired(now: now) && push.expiration != .once {
            self.world.fail("the gateway delivered a push that had expired")
        }
    }

    /// The gateway's disk was rolled back: from now on, only the pushes on it can be delivered.
    func gatewayRolledBack(_ contents: ModelPushContents) {
        self.doing = nil
        self.kept = [:]
        for (device, pushes) in contents.pushes {
            for push in pushes { self.kept[Topic(device: device, topic: push.topic)] = push }
        }
    }

    func gatewayStarted(_ contents: ModelPushContents, now: WallTime) {
        self.enabled = [:]
        // No provider received a reply, so both states are right.
        if let doing { self.kept[doing] = contents.pushes[doing.device]?.last { $0.topic == doing.topic } }
        self.doing = nil
        for (topic, push) in self.kept where !push.isExpired(now: now) {
            if contents.pushes[topic.device]?.contains(where: { $0.id == push.id }) != true {
                self.world.fail("the gateway lost a push that it had accepted")
            }
        }
        self.kept.removeAll { $0.value.isExpired(now: now) }
    }

    // MARK: Devices

    func acknowledged(_ push: Push, by device: DeviceNode) { self.owed[device.index, default: []].append(push.id) }

    func noted(_ note: Note, on device: DeviceNode) {
        self.world.auditors.shares.noted(note, on: device)
        switch note {
        case .pushReceived(_, let bundle):
            self.paid[device.index, default: []].append(Paid(at: self.world.now, bundle: bundle))
        case .pushRefused(let push, _, let reason):
            self.ended[device.index, default: []].insert(push)
            guard reason == .budgetExhausted || reason == .shareExhausted else { break }
            // A refused push is not charged.
            self.paid[device.index]?.removeLast()
        case .shareExhausted(let bundle): self.checkShare(of: bundle, device)
        case .pushCompleted(let push, _), .pushReplaced(let push, _):
            self.ended[device.index, default: []].insert(push)
        case .extensionFailed(_, _, let pushes): self.abandoned[device.index, default: 0] += pushes
        case .pushHanded(let push, _): self.countHanded(push, on: device)
        default: break
        }
        self.checkBudget(device)
    }

    /// A device removes a push from its disk.
    func forgot(_ push: PushID, on device: DeviceNode) {
        guard self.owed[device.index]?.remove(push) != nil else { return }
        if self.ended[device.index]?.contains(push) == true { return }
        let abandoned = self.abandoned[device.index] ?? 0
        guard abandoned > 0 else {
            return self.world.fail("\(device.id) forgot the push \(push.low) without reporting its outcome")
        }
        self.abandoned[device.index] = abandoned - 1
        self.ended[device.index, default: []].insert(push)
    }

    private func countHanded(_ push: PushID, on device: DeviceNode) {
        let count = (self.handed[device.index]?[push] ?? 0) + 1
        self.handed[device.index, default: [:]][push] = count
        // A push may be handed over once in each life of locationd.
        if UInt64(count) > device.life { self.world.fail("\(device.id) handed a push to its extension twice") }
    }

    private func checkBudget(_ device: DeviceNode) {
        guard let all = self.paid[device.index], !self.world.hadFullDisk(device.id) else { return }
        let recent = all.filter { $0.at.duration(to: self.world.now) < Self.day }
        self.paid[device.index] = recent
        if recent.count > Self.budgetPerDay {
            self.world.fail("\(device.id) used \(recent.count) pushes in 24 h; the budget allows \(Self.budgetPerDay)")
        }
    }

    /// Checks that an app whose share is exhausted has used that share of the reserve.
    private func checkShare(of bundle: BundleID, _ device: DeviceNode) {
        // Pushes for apps that are not installed have one share together, separate from the shares of installed apps.
        guard !self.world.hadFullDisk(device.id), device.bundles.contains(bundle) else { return }
        // Apps that were removed since count: they had a share when this app used its share.
        let sharing = device.plan.apps.count { $0.kind == .friends }
        let had = (self.paid[device.index] ?? []).count {
            $0.bundle == bundle && $0.at.duration(to: self.world.now) < Self.shareWindow
        }
        if had < Self.reserve / max(sharing, 1) - 1 {
            self.world.fail(
                "\(device.id) unregistered \(bundle) after \(had) pushes; \(sharing) apps share \(Self.reserve)"
            )
        }
    }

    /// The device's files were rolled back: from now on, the device has the pushes in them.
    func deviceRolledBack(_ device: DeviceNode) {
        self.owed[device.index] = device.files.spool.keys
        self.ended[device.index]?.subtract(device.files.spool.keys)
        self.abandoned[device.index] = nil
    }

    func deviceStarted(_ device: DeviceNode) {
        for push in self.owed[device.index] ?? [] where device.files.spool[push] == nil {
            self.world.fail("\(device.id) lost the push \(push.low), which it had acknowledged")
        }
    }
}
