internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Keeps account of which sessions count, as Apple documents it, and objects when a device counts others.
///
/// A session begins in the foreground, or while one as strong is in effect; it survives its process, until another process of
/// the app lives for five seconds and does not retake it.
final class SessionAuditor {
    enum Claim: Equatable {
        case session(Declaration.Session.Requirement)
        case background
    }

    private struct Item: Equatable {
        enum Holder: Equatable {
            case process(ClientID, id: UInt64, isWaiting: Bool)
            /// The session's process has ended.
            case left
            case retakable(until: Instant)
        }

        var claim: Claim
        var holder: Holder

        var counts: Bool { if case .process(_, _, isWaiting: true) = self.holder { false } else { true } }
    }

    /// The account of an app.
    private struct Account: Equatable {
        var items: [Item] = []
        var clients: [ClientID] = []
        /// Whether its process counts as running before it has connected: a person started it, or it was taken over.
        var isStarted = false
        var isForeground = false
        /// When the app last left the foreground.
        var leftForeground: Instant?
        var hasTakenAlways = false
        /// Whether a session for Always was dropped that the app did not end itself.
        var hasLostAlways = false

        func counts(_ claim: Claim) -> Bool { self.items.contains { $0.counts && $0.claim == claim } }
    }

    private static let retakeWindow = Duration.seconds(5)
    private static let grace = Duration.seconds(5)

    private unowned let world: Simulation
    private var accounts: [AppKey: Saved<Account>] = [:]
    /// The accounts on the disk of a device over time, if the scenario rolls disks back.
    private var history: [Int: DiskHistory<[AppKey: Saved<Account>]>] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    // MARK: Questions

    /// Whether the app is in use: in the foreground, there a moment ago, or with a background activity session.
    func isInUse(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        guard let account = self.accounts[AppKey(device, bundle)]?.newest else { return false }
        if account.isForeground || account.counts(.background) { return true }
        guard let left = account.leftForeground else { return false }
        return left.duration(to: self.world.now) <= Self.grace
    }

    /// Whether a session for Always counts.
    func hasAlways(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        self.accounts[AppKey(device, bundle)]?.newest.counts(.session(.always)) ?? false
    }

    func hasTakenAlways(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        self.accounts[AppKey(device, bundle)]?.newest.hasTakenAlways ?? false
    }

    /// Whether the device knows a session of a client.
    func isHeld(_ client: ClientID, _ id: UInt64, _ device: DeviceNode, _ bundle: BundleID) -> Bool {
        self.accounts[AppKey(device, bundle)]?.newest.items.contains { Self.holds($0, client, id) } ?? false
    }

    /// Whether a session of a client is held but does not count.
    func isWaiting(_ client: ClientID, _ id: UInt64, _ device: DeviceNode, _ bundle: BundleID) -> Bool {
        self.accounts[AppKey(device, bundle)]?.newest.items.contains {
            $0.holder == .process(client, id: id, isWaiting: true)
        } ?? false
    }

    // MARK: Events

    func deviceWill(_ event: DeviceCore.Event, _ device: DeviceNode) {
        switch event {
        case .appStarted(let bundle):
            guard let process = device.apps[bundle], process.reason == .user else { return }
            self.begin(device, bundle) { Self.launched(&$0, process, now: self.world.now) }
        case .messageReceived(let message, let client):
            guard let process = device.process(of: client), process.role == .app else { return }
            self.begin(device, process.bundle) { account in
                if !account.clients.contains(client) {
                    if account.clients.isEmpty, !account.isStarted {
                        Self.launched(&account, process, now: self.world.now)
                    }
                    account.clients.append(client)
                }
                if case .declaration(let declaration) = message {
                    self.declared(&account, client, declaration, device, process.bundle)
                }
            }
        case .connectionClosed(let client):
            for bundle in device.bundles { self.begin(device, bundle) { Self.vanished(&$0, client) } }
        case .appEnded(let bundle, _):
            self.begin(device, bundle) { account in
                for client in account.clients { Self.vanished(&account, client) }
                Self.gone(&account)
            }
        case .ordered(.run(let bundle, let phase, _), _), .ordered(.show(let bundle, let phase), _):
            self.begin(device, bundle) { account in
                guard account.isStarted || !account.clients.isEmpty else { return }
                if account.isForeground, phase == .background { account.leftForeground = self.world.now }
                account.isForeground = phase == .foreground
            }
        case .deadlineReached:
            for bundle in device.bundles {
                self.begin(device, bundle) { account in
                    let hadAlways = account.counts(.session(.always))
                    account.items.removeAll {
                        if case .retakable(let until) = $0.holder { self.world.now >= until } else { false }
                    }
                    if hadAlways, !account.counts(.session(.always)) {
                        account.hasLostAlways = true
                        self.world.census.add("an app's session for Always expires")
                    }
                }
            }
        default: break
        }
        self.settle(device)
    }

    func noted(_ note: Note, on device: DeviceNode) {
        guard case .sessionsDropped(let bundle, _) = note else { return }
        if device.apps[bundle] == nil {
            self.world.fail("\(device.id) dropped sessions of \(bundle), which has no process that could retake them")
        }
    }

    /// Begins the waiting sessions that may begin now: any event can be the reason.
    private func settle(_ device: DeviceNode) {
        for bundle in device.bundles {
            if let account = self.accounts[AppKey(device, bundle)]?.newest, account.items.allSatisfy(\.counts) {
                continue
            }
            self.begin(device, bundle) { account in
                for index in account.items.indices {
                    let item = account.items[index]
                    if case .process(let client, let id, isWaiting: true) = item.holder,
                        self.mayBegin(item.claim, account, device, bundle)
                    {
                        account.items[index].holder = .process(client, id: id, isWaiting: false)
                    }
                }
            }
        }
    }

    private func begin(_ device: DeviceNode, _ bundle: BundleID, _ change: (inout Account) -> Void) {
        self.accounts[AppKey(device, bundle), default: Saved(Account())].begin { account in
            change(&account)
            if account.counts(.session(.always)) { account.hasLostAlways = false }
        }
    }

    private func declared(
        _ account: inout Account,
        _ client: ClientID,
        _ declaration: Declaration,
        _ device: DeviceNode,
        _ bundle: BundleID
    ) {
        guard account.clients.contains(client) else { return }
        var wanted = declaration.sessions.map { (id: $0.id, claim: Claim.session($0.requirement)) }
        wanted += declaration.activities.filter { $0.kind == .backgroundSession }.map { ($0.id, .background) }
        let isGivenUp = { (item: Item) in
            guard case .process(client, let id, _) = item.holder else { return false }
            return !wanted.contains { $0.id == id }
        }
        if account.items.contains(where: { $0.claim == .session(.always) && isGivenUp($0) }) {
            account.hasLostAlways = false
        }
        account.items.removeAll(where: isGivenUp)
        for (id, claim) in wanted where !account.items.contains(where: { Self.holds($0, client, id) }) {
            if claim == .session(.always) { account.hasTakenAlways = true }
            if let left = account.items.firstIndex(where: { $0.claim == claim && Self.isLeft($0) }) {
                account.items[left].holder = .process(client, id: id, isWaiting: false)
            } else {
                let begins = self.mayBegin(claim, account, device, bundle) || Self.isCarried(claim, account)
                account.items.append(Item(claim: claim, holder: .process(client, id: id, isWaiting: !begins)))
            }
        }
    }

    private func mayBegin(_ claim: Claim, _ account: Account, _ device: DeviceNode, _ bundle: BundleID) -> Bool {
        switch claim {
        case .session: account.isForeground
        case .background:
            account.isForeground && device.plan(of: bundle).manifest.mayRunInBackground
                && self.world.auditors.will.allows(device, bundle)
        }
    }

    private static func isCarried(_ claim: Claim, _ account: Account) -> Bool {
        account.items.contains { item in
            guard item.counts else { return false }
            return switch (claim, item.claim) {
            case (.session(let wanted), .session(let other)): other >= wanted
            case (.background, .background): true
            case (.session, .background), (.background, .session): false
            }
        }
    }

    private static func holds(_ item: Item, _ client: ClientID, _ id: UInt64) -> Bool {
        if case .process(client, id, _) = item.holder { true } else { false }
    }

    private static func isLeft(_ item: Item) -> Bool {
        switch item.holder {
        case .process: false
        case .left, .retakable: true
        }
    }

    private static func launched(_ account: inout Account, _ process: SimulatedProcess, now: Instant) {
        account.isStarted = true
        account.isForeground = process.phase == .foreground
        for index in account.items.indices where account.items[index].holder == .left {
            account.items[index].holder = .retakable(until: now.advanced(by: Self.retakeWindow))
        }
    }

    private static func vanished(_ account: inout Account, _ client: ClientID) {
        guard let place = account.clients.firstIndex(of: client) else { return }
        account.clients.remove(at: place)
        account.items.removeAll {
            if case .process(client, _, isWaiting: true) = $0.holder { true } else { false }
        }
        for index in account.items.indices {
            if case .process(client, _, _) = account.items[index].holder { account.items[index].holder = .left }
        }
        if account.clients.isEmpty { Self.gone(&account) }
    }

    /// The account after all connections with the app's processes broke.
    private static func left(_ account: Account) -> Account {
        var left = account
        for client in account.clients { self.vanished(&left, client) }
        return left
    }

    private static func gone(_ account: inout Account) {
        for index in account.items.indices {
            if case .retakable = account.items[index].holder { account.items[index].holder = .left }
        }
        account.isStarted = false
        account.isForeground = false
        account.leftForeground = nil
    }

    func removed(_ bundle: BundleID, on device: DeviceNode) { self.accounts[AppKey(device, bundle)] = nil }

    func mayBeSaved(on device: DeviceNode) {
        for bundle in device.bundles { self.accounts[AppKey(device, bundle)]?.mayBeSaved() }
        self.copy(device)
    }

    func saved(on device: DeviceNode) {
        for bundle in device.bundles { self.accounts[AppKey(device, bundle)]?.saved() }
        self.copy(device)
    }

    private func copy(_ device: DeviceNode) {
        guard self.world.rollsBack else { return }
        let accounts = self.accounts.filter { $0.key.device == device.index }
        self.history[device.index, default: DiskHistory([:])].append(accounts, at: self.world.now)
    }

    /// The device's disk was rolled back: later changes of sessions are undone.
    func deviceRolledBack(_ device: DeviceNode, by span: Duration) {
        let accounts = self.history[device.index]?.takeBack(self.world.now, before: span) ?? [:]
        self.accounts = self.accounts.filter { $0.key.device != device.index }.merging(accounts) { $1 }
    }

    func deviceDid(_ device: DeviceNode, _ statuses: DeviceNode.Statuses) {
        self.settle(device)
        for bundle in device.bundles { self.accounts[AppKey(device, bundle)]?.done() }
        for (bundle, status) in statuses { self.compare(device, bundle, status) }
    }

    func deviceStarted(_ device: DeviceNode) {
        for bundle in device.bundles {
            guard var saved = self.accounts[AppKey(device, bundle)] else { continue }
            let status = device.status(of: bundle)
            // A disk without the app has the state before the app's first session.
            guard
                saved.restored({ account in
                    status.map { Self.matches(Self.left(account), $0) } ?? account.items.isEmpty
                })
            else {
                self.object(device, bundle, status, "loaded from its disk")
                continue
            }
            saved.begin { account in
                account = Self.left(account)
                // The time of an app's launch is not on disk.
                for index in account.items.indices { account.items[index].holder = .left }
                // The new locationd treats a process that still runs as launched.
                if let process = device.apps[bundle] { Self.launched(&account, process, now: self.world.now) }
            }
            saved.done()
            self.accounts[AppKey(device, bundle)] = saved
        }
    }

    private func compare(_ device: DeviceNode, _ bundle: BundleID, _ status: AppStatus) {
        guard let account = self.accounts[AppKey(device, bundle)]?.current else { return }
        guard Self.matches(account, status) else { return self.object(device, bundle, status, "counts") }
        guard status.needsOpening else { return }
        let word = Engine.Indicator(bundle: bundle, kind: .sharingStopped)
        if !device.core.engine.indicators.contains(word) {
            self.world.fail(
                "\(device.id) refuses the pushes of \(bundle) until it is opened, but does not show this to the person"
            )
        }
        self.world.census.add("the device shows that sharing stopped")
    }

    private func object(_ device: DeviceNode, _ bundle: BundleID, _ status: AppStatus?, _ verb: String) {
        let account = self.accounts[AppKey(device, bundle)]?.current
        let due = account.map { Self.sessions($0) } ?? []
        self.world.fail(
            "\(device.id) \(verb) the sessions \(status?.sessions.map(\.rawValue) ?? []), background "
                + "\(status?.hasBackgroundSession ?? false), needs opening \(status?.needsOpening ?? false), of \(bundle); expected \(due), background "
                + "\(account?.counts(.background) ?? false), lost \(account?.hasLostAlways ?? false)"
        )
    }

    private static func sessions(_ account: Account) -> [Int] {
        account.items.compactMap { item in
            if item.counts, case .session(let requirement) = item.claim { requirement.rawValue } else { nil }
        }.sorted()
    }

    private static func matches(_ account: Account, _ status: AppStatus) -> Bool {
        self.sessions(account) == status.sessions.map(\.rawValue).sorted()
            && account.counts(.background) == status.hasBackgroundSession
            && self.needsOpening(account, status) == status.needsOpening
    }

    /// Whether the app is authorized to share but answers no push until a person opens it (ADR 0099).
    private static func needsOpening(_ account: Account, _ status: AppStatus) -> Bool {
        guard status.monitorsPushes, status.authorization == .always, !account.counts(.session(.always)) else {
            return false
        }
        return account.hasLostAlways || account.items.contains { $0.claim == .session(.always) }
    }
}
