internal import OrderedCollections
internal import Synchronization
internal import WhereaboutsAPNS
package import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A push store in memory: the simulated gateway's disk.
///
/// It passes the suite that every ``PushEngine/PushStore`` passes.
package final class ModelPushStore: PushStore {
    private let contents = Mutex(ModelPushContents())

    package init() {}

    package func transaction(
        surviving loss: PushStoreLoss,
        _ body: (any PushStoreTransaction) throws -> Void
    ) throws {
        try self.contents.withLock { contents in
            let transaction = ModelPushTransaction(contents)
            try body(transaction)
            contents = transaction.contents
        }
    }
}

/// The tables of a ``ModelPushStore``.
struct ModelPushContents {
    var tokens: OrderedDictionary<[UInt8], TokenRecord> = [:]
    /// When each token was issued.
    var issued: [[UInt8]: WallTime] = [:]
    var pushes: OrderedDictionary<DeviceKey, [StoredPush]> = [:]
    /// The days of senders, in the order of their last change.
    var accounts: [SenderDay] = []
    var waits: OrderedDictionary<Sender.Name, WallTime> = [:]
}

/// The operations of a ``ModelPushStore`` within one transaction: they change a copy.
final class ModelPushTransaction: PushStoreTransaction {
    /// A broken rule of the tables, which means a bug in the engine.
    struct Refused: Error {
        var rule: String
    }

    private(set) var contents: ModelPushContents
    /// Whether anything was changed, so that something has to be written.
    private(set) var hasChanged = false

    init(_ contents: ModelPushContents) {
        self.contents = contents
    }

    private func change(_ body: (inout ModelPushContents) -> Void) {
        self.hasChanged = true
        body(&self.contents)
    }

    func attempt(_ body: () throws -> Void) throws {
        let (contents, hasChanged) = (self.contents, self.hasChanged)
        do {
            try body()
        } catch {
            (self.contents, self.hasChanged) = (contents, hasChanged)
            throw error
        }
    }

    func record(of token: DeviceToken) -> TokenRecord? { self.contents.tokens[token.bytes] }

    func registeredToken(of device: DeviceKey, for topic: String) -> TokenRecord? {
        self.registeredTokens(of: device).first { $0.topic == topic }
    }

    func enrolment(of device: DeviceKey) -> Enrolment {
        let tokens = self.registeredTokens(of: device)
        return Enrolment(
            tokensCount: tokens.count,
            isKnown: tokens.contains { $0.isPushed },
            since: tokens.compactMap { self.contents.issued[$0.token.bytes] }.min(),
            hasRoom: true
        )
    }

    func registeredTokens(of device: DeviceKey) -> [TokenRecord] {
        self.contents.tokens.values.filter { $0.device == device && $0.unregisteredAt == nil }
            .sorted { $0.token.bytes.lexicographicallyPrecedes($1.token.bytes) }
    }

    func devices(after key: DeviceKey?, limit: Int) -> [DeviceKey] {
        let all = OrderedSet(self.contents.tokens.values.filter { $0.unregisteredAt == nil }.map(\.device))
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        return Array(all.filter { key?.bytes.lexicographicallyPrecedes($0.bytes) ?? true }.prefix(limit))
    }

    func insert(_ record: TokenRecord) throws {
        guard self.record(of: record.token) == nil,
            self.registeredToken(of: record.device, for: record.topic) == nil
        else { throw Refused(rule: "the engine added a token twice, or a second token of a device for a topic") }
        self.change { contents in
            contents.tokens[record.token.bytes] = record
            contents.issued[record.token.bytes] = record.usedAt
        }
    }

    func markUsed(_ token: DeviceToken, at time: WallTime, isPushed: Bool) {
        guard let record = self.record(of: token) else { return }
        self.change { contents in
            contents.tokens[token.bytes] = TokenRecord(
                token: token,
                device: record.device,
                topic: record.topic,
                usedAt: time.wholeMilliseconds,
                isPushed: record.isPushed || isPushed,
                unregisteredAt: record.unregisteredAt
            )
        }
    }

    func removeUnused(before time: WallTime) {
        guard self.contents.tokens.values.contains(where: { $0.usedAt < time }) else { return }
        self.change { $0.tokens.removeAll { $0.value.usedAt < time } }
    }

    func unregister(topic: String, of device: DeviceKey, at time: WallTime) {
        guard let alive = self.registeredToken(of: device, for: topic) else { return }
        self.change { contents in
            contents.tokens[alive.token.bytes] = TokenRecord(
                token: alive.token,
                device: device,
                topic: topic,
                usedAt: time,
                isPushed: alive.isPushed,
                unregisteredAt: time
            )
            let dead = contents.tokens.values.compactMap { record in
                record.device == device ? record.unregisteredAt.map { (record.token.bytes, $0) } : nil
            }
            guard dead.count > TokenDecision.topicsMax else { return }
            let newest = dead.sorted { $0.1 == $1.1 ? $1.0.lexicographicallyPrecedes($0.0) : $0.1 > $1.1 }
            for (token, _) in newest.dropFirst(TokenDecision.topicsMax) { contents.tokens[token] = nil }
        }
    }

    func pushes(of device: DeviceKey) -> [StoredPush] { self.contents.pushes[device] ?? [] }

    func put(_ push: StoredPush, for device: DeviceKey) throws -> ReplacedPush? {
        guard case .until = push.expiration else {
            throw Refused(rule: "the engine stored a push that allows one attempt only")
        }
        let replaced = self.pushes(of: device).first { $0.topic == push.topic }
        self.change { contents in
            contents.pushes[device, default: []].removeAll { $0.topic == push.topic }
            contents.pushes[device, default: []].append(push)
        }
        return replaced.map { ReplacedPush(id: $0.id, expiration: $0.expiration) }
    }

    func removePush(_ id: PushID, of device: DeviceKey) {
        guard self.pushes(of: device).contains(where: { $0.id == id }) else { return }
        self.change { $0.pushes[device]?.removeAll { $0.id == id } }
    }

    func removeExpired(now: WallTime) -> Int {
        let count = self.contents.pushes.values.reduce(0) { $0 + $1.count { $0.isExpired(now: now) } }
        guard count > 0 else { return 0 }
        self.change { contents in
            for device in contents.pushes.keys { contents.pushes[device]?.removeAll { $0.isExpired(now: now) } }
        }
        return count
    }

    func count(_ entry: SenderAccount.Entry, of sender: Sender.Name, on day: AccountDay) {
        var account = self.account(of: sender, on: day)
        account.add(1, to: entry)
        self.change { contents in
            contents.accounts.removeAll { $0.sender == sender && $0.day == day }
            contents.accounts.append(SenderDay(sender, day, account))
        }
    }

    func account(of sender: Sender.Name, on day: AccountDay) -> SenderAccount {
        self.contents.accounts.first { $0.sender == sender && $0.day == day }?.account ?? SenderAccount()
    }

    func accounts(of sender: Sender.Name?, since day: AccountDay) -> [SenderDay] {
        self.contents.accounts.filter { $0.day >= day && (sender == nil || $0.sender == sender) }
            .sorted { $0.day == $1.day ? $0.sender.description < $1.sender.description : $0.day > $1.day }
    }

    func removeAccounts(before day: AccountDay) {
        guard self.contents.accounts.contains(where: { $0.day < day }) else { return }
        self.change { $0.accounts.removeAll { $0.day < day } }
    }

    func putWait(of sender: Sender.Name, until end: WallTime) {
        self.change { $0.waits[sender] = end.wholeMilliseconds }
    }

    func waitEnd(of sender: Sender.Name) -> WallTime? { self.contents.waits[sender] }

    func removeWaits(endedBefore time: WallTime) {
        guard self.contents.waits.values.contains(where: { $0 < time }) else { return }
        self.change { $0.waits.removeAll { $0.value < time } }
    }
}
