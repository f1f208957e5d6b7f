public import Testing
internal import WhereaboutsAPNS
public import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The rules that every ``PushEngine/PushStore`` follows; the gateway relies on each.
///
/// ```swift
/// @Test(arguments: PushStoreRule.allCases) func myStoreKeeps(_ rule: PushStoreRule) throws {
///     try rule.check(MyStore())  // a new, empty one
/// }
/// ```
public enum PushStoreRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A push replaces the push with the same topic, and becomes the last one of its device.
    case pushesAreReplacedByTopicAndKeepTheirOrder
    /// A push is stored until the second of its expiration begins.
    case expiredPushesAreRemovedAtTheirSecond
    /// A push without expiration date is refused.
    case aPushForOneAttemptIsNotStored
    /// A transaction sees its own changes; a transaction that throws leaves the earlier state.
    case aFailedTransactionChangesNothing
    /// The state of a token is known: registered, dead since its first unregistration, or never issued.
    case tokensLiveUntilUnregistered
    /// A token is added only once, and a device has only one token for each topic.
    case aTokenIsAddedOnceAndATopicHasOne
    /// A failed attempt is undone alone; attempts before and after it stay.
    case aFailedAttemptIsUndoneAlone
    /// A token that was unused for long is removed, registered or not. A recently used token is kept.
    case unusedTokensAreRemoved
    /// A device is known from its first push on, and its tokens are counted.
    case enrolmentCountsTokensAndPushes
    /// The devices with registered tokens are listed in the order of their keys, and the tokens of a device likewise.
    case devicesAndTheirTokensAreListed
    /// Only the newest dead tokens of a device are remembered, up to the limit.
    case deadTokensAreBounded
    /// Pushes are counted for each sender and day, within the transaction, until the day is removed.
    case sendersAreCountedByDay
    /// The end of a sender's wait is stored to the millisecond, one for each sender, until it has passed.
    case aSendersWaitIsKept

    /// The name of the rule.
    public var testDescription: String { self.rawValue }

    /// Checks the rule; a violation is an issue of the running test.
    ///
    /// - Parameter store: an empty store; the check leaves data in it.
    /// - Throws: an error of the store that breaks the rule.
    public func check(_ store: some PushStore) throws {
        switch self {
        case .pushesAreReplacedByTopicAndKeepTheirOrder: try Self.pushesAreReplacedByTopicAndKeepTheirOrder(store)
        case .expiredPushesAreRemovedAtTheirSecond: try Self.expiredPushesAreRemovedAtTheirSecond(store)
        case .aPushForOneAttemptIsNotStored: try Self.aPushForOneAttemptIsNotStored(store)
        case .aFailedTransactionChangesNothing: try Self.aFailedTransactionChangesNothing(store)
        case .tokensLiveUntilUnregistered: try Self.tokensLiveUntilUnregistered(store)
        case .aTokenIsAddedOnceAndATopicHasOne: try Self.aTokenIsAddedOnceAndATopicHasOne(store)
        case .aFailedAttemptIsUndoneAlone: try Self.aFailedAttemptIsUndoneAlone(store)
        case .unusedTokensAreRemoved: try Self.unusedTokensAreRemoved(store)
        case .enrolmentCountsTokensAndPushes: try Self.enrolmentCountsTokensAndPushes(store)
        case .devicesAndTheirTokensAreListed: try Self.devicesAndTheirTokensAreListed(store)
        case .deadTokensAreBounded: try Self.deadTokensAreBounded(store)
        case .sendersAreCountedByDay: try Self.sendersAreCountedByDay(store)
        case .aSendersWaitIsKept: try Self.aSendersWaitIsKept(store)
        }
    }
}

/// Why a transaction fails on purpose.
private struct Failure: Error {}

extension PushStoreRule {
    private static let device = DeviceKey(bytes: Array(repeating: 1, count: 32))
    private static let other = DeviceKey(bytes: [2])

    private static func push(_ number: UInt8, topic: String, expires: Int64 = 100) throws -> StoredPush {
        StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [number],
            priority: .powerConsiderate,
            expiration: .until(expires),
            collapseID: number == 1 ? "c" : nil
        )
    }

    private static func token(_ number: Int) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8(number / 256), UInt8(number % 256)]))
    }

    private static func pushes(_ store: some PushStore, of device: DeviceKey = Self.device) throws -> [StoredPush] {
        var pushes: [StoredPush] = []
        try store.transaction { pushes = try $0.pushes(of: device) }
        return pushes
    }

    private static func record(
        _ number: Int,
        topic: String,
        of device: DeviceKey = Self.device,
        usedAt: Int64 = 0
    ) throws -> TokenRecord {
        TokenRecord(token: try Self.token(number), device: device, topic: topic, usedAt: WallTime(seconds: usedAt))
    }

    private static func token(_ store: some PushStore, for topic: String) throws -> TokenRecord? {
        var token: TokenRecord?
        try store.transaction { token = try $0.registeredToken(of: Self.device, for: topic) }
        return token
    }

    private static func devicesAndTheirTokensAreListed(_ store: some PushStore) throws {
        func record(_ number: UInt8, _ device: DeviceKey, _ topic: String) throws -> TokenRecord {
            let token = try #require(DeviceToken(bytes: [number]))
            return TokenRecord(token: token, device: device, topic: topic, usedAt: WallTime(seconds: 1))
        }
        let records = try [
            record(3, Self.device, "a"), record(1, Self.device, "b"), record(2, Self.other, "a"),
            record(4, Self.device, "dead"),
        ]
        try store.transaction { transaction in
            for record in records { try transaction.insert(record) }
            try transaction.unregister(topic: "dead", of: Self.device, at: WallTime(seconds: 2))
            #expect(try transaction.devices(after: nil, limit: 9) == [Self.device, Self.other])
            #expect(try transaction.devices(after: nil, limit: 1) == [Self.device])
            #expect(try transaction.devices(after: Self.device, limit: 9) == [Self.other])
            #expect(try transaction.registeredTokens(of: Self.device).map(\.token.bytes) == [[1], [3]])
            try transaction.unregister(topic: "a", of: Self.other, at: WallTime(seconds: 2))
            #expect(try transaction.devices(after: nil, limit: 9) == [Self.device])
        }
    }

    private static func pushesAreReplacedByTopicAndKeepTheirOrder(_ store: some PushStore) throws {
        let (first, second, third) = (
            try Self.push(1, topic: "a"), try Self.push(2, topic: "b"), try Self.push(3, topic: "a")
        )
        let elsewhere = try Self.push(9, topic: "a")
        try store.transaction { transaction in
            #expect(try transaction.put(first, for: Self.device) == nil)
            try transaction.put(second, for: Self.device)
            try transaction.put(elsewhere, for: Self.other)
        }
        #expect(try Self.pushes(store) == [first, second])
        var replaced: ReplacedPush?
        try store.transaction { replaced = try $0.put(third, for: Self.device) }
        #expect(replaced == ReplacedPush(id: first.id, expiration: first.expiration))
        #expect(try Self.pushes(store) == [second, third])
        try store.transaction { transaction in
            try transaction.removePush(second.id, of: Self.device)
            // A push that does not exist, and a push of another device.
            try transaction.removePush(first.id, of: Self.device)
            try transaction.removePush(elsewhere.id, of: Self.device)
        }
        #expect(try Self.pushes(store) == [third])
        #expect(try Self.pushes(store, of: Self.other) == [elsewhere])
    }

    private static func expiredPushesAreRemovedAtTheirSecond(_ store: some PushStore) throws {
        let kept = try Self.push(2, topic: "b", expires: 11)
        try store.transaction { transaction in
            try transaction.put(try Self.push(1, topic: "a", expires: 10), for: Self.device)
            try transaction.put(kept, for: Self.device)
            try transaction.put(try Self.push(3, topic: "a", expires: 9), for: Self.other)
            #expect(try transaction.removeExpired(now: WallTime(milliseconds: 10_999)) == 2)
            #expect(try transaction.removeExpired(now: WallTime(milliseconds: 10_999)) == 0)
        }
        #expect(try Self.pushes(store) == [kept])
        #expect(try Self.pushes(store, of: Self.other).isEmpty)
    }

    private static func aPushForOneAttemptIsNotStored(_ store: some PushStore) throws {
        let push = try Self.push(1, topic: "a")
        let once = StoredPush(
            id: push.id,
            topic: push.topic,
            payload: push.payload,
            priority: push.priority,
            expiration: .once,
            collapseID: nil
        )
        #expect(throws: (any Error).self) { try store.transaction { try $0.put(once, for: Self.device) } }
        #expect(try Self.pushes(store).isEmpty)
    }

    private static func aFailedTransactionChangesNothing(_ store: some PushStore) throws {
        let kept = try Self.push(1, topic: "a")
        let record = try Self.record(1, topic: "a")
        try store.transaction { transaction in
            try transaction.put(kept, for: Self.device)
            try transaction.insert(record)
        }
        #expect(throws: Failure.self) {
            try store.transaction { transaction in
                try transaction.put(try Self.push(2, topic: "a"), for: Self.device)
                try transaction.unregister(topic: "a", of: Self.device, at: WallTime(seconds: 1))
                #expect(try transaction.pushes(of: Self.device).map(\.payload) == [[2]])
                throw Failure()
            }
        }
        #expect(try Self.pushes(store) == [kept])
        #expect(try Self.token(store, for: "a") == record)
    }

    private static func aFailedAttemptIsUndoneAlone(_ store: some PushStore) throws {
        let (before, after) = (try Self.record(1, topic: "a"), try Self.record(2, topic: "b"))
        try store.transaction { transaction in
            try transaction.attempt { try transaction.insert(before) }
            #expect(throws: (any Error).self) {
                try transaction.attempt {
                    try transaction.put(try Self.push(1, topic: "a"), for: Self.device)
                    try transaction.insert(before)
                }
            }
            try transaction.attempt { try transaction.insert(after) }
        }
        #expect(try Self.token(store, for: "a") == before)
        #expect(try Self.token(store, for: "b") == after)
        #expect(try Self.pushes(store).isEmpty)
    }

    private static func unusedTokensAreRemoved(_ store: some PushStore) throws {
        try store.transaction { transaction in
            for (number, topic) in ["old", "used", "dead", "new"].enumerated() {
                try transaction.insert(try Self.record(number, topic: topic, usedAt: topic == "new" ? 10 : 1))
            }
            try transaction.markUsed(try Self.token(1), at: WallTime(seconds: 10), isPushed: false)
            try transaction.unregister(topic: "dead", of: Self.device, at: WallTime(seconds: 9))
            try transaction.removeUnused(before: WallTime(seconds: 10))
            let left = try (0..<4).map { try transaction.record(of: Self.token($0))?.topic }
            #expect(left == [nil, "used", nil, "new"])
        }
    }

    private static func enrolmentCountsTokensAndPushes(_ store: some PushStore) throws {
        try store.transaction { transaction in
            let none = try transaction.enrolment(of: Self.device)
            #expect(none.tokensCount == 0 && none.since == nil)
            for number in 0..<2 { try transaction.insert(try Self.record(number, topic: "t\(number)")) }
            try transaction.insert(try Self.record(2, topic: "t", of: Self.other))
            try transaction.markUsed(try Self.token(2), at: WallTime(seconds: 1), isPushed: true)
            var enrolment = try transaction.enrolment(of: Self.device)
            #expect(enrolment.tokensCount == 2 && !enrolment.isKnown && enrolment.hasRoom)
            try transaction.markUsed(try Self.token(1), at: WallTime(seconds: 1), isPushed: true)
            // A later use without a push does not change `isPushed`.
            try transaction.markUsed(try Self.token(1), at: WallTime(seconds: 2), isPushed: false)
            #expect(try transaction.record(of: Self.token(1))?.isPushed == true)
            try transaction.unregister(topic: "t0", of: Self.device, at: WallTime(seconds: 3))
            enrolment = try transaction.enrolment(of: Self.device)
            #expect(enrolment.tokensCount == 1 && enrolment.isKnown)
            // The time of the first token, which later uses do not change.
            #expect(try enrolment.since == Self.record(1, topic: "t1").usedAt)
        }
    }

    private static func tokensLiveUntilUnregistered(_ store: some PushStore) throws {
        let record = try Self.record(1, topic: "a")
        let renewed = try Self.record(2, topic: "a")
        let second = try Self.record(4, topic: "b")
        let elsewhere = try Self.record(5, topic: "a", of: Self.other)
        let time = WallTime(milliseconds: 1_800_000_000_123)
        try store.transaction { transaction in
            try transaction.insert(record)
            #expect(try transaction.record(of: record.token) == record)
            try transaction.unregister(topic: "a", of: Self.device, at: time)
            // A second call changes nothing: the first time is kept.
            try transaction.unregister(topic: "a", of: Self.device, at: WallTime(seconds: 1))
            let dead = TokenRecord(
                token: record.token,
                device: Self.device,
                topic: "a",
                usedAt: time,
                unregisteredAt: time
            )
            #expect(try transaction.record(of: record.token) == dead)
            #expect(try transaction.registeredToken(of: Self.device, for: "a") == nil)
            for record in [renewed, second, elsewhere] { try transaction.insert(record) }
            #expect(try transaction.registeredToken(of: Self.device, for: "a") == renewed)
            #expect(try transaction.registeredToken(of: Self.device, for: "b") == second)
            let unknown = try Self.token(3)
            #expect(try transaction.record(of: unknown) == nil)
        }
    }

    private static func aTokenIsAddedOnceAndATopicHasOne(_ store: some PushStore) throws {
        let record = try Self.record(1, topic: "a")
        try store.transaction { try $0.insert(record) }
        for wrong in [record, try Self.record(1, topic: "b", of: Self.other), try Self.record(2, topic: "a")] {
            #expect(throws: (any Error).self) { try store.transaction { try $0.insert(wrong) } }
        }
        #expect(try Self.token(store, for: "a") == record)
    }

    private static func sendersAreCountedByDay(_ store: some PushStore) throws {
        let (one, other) = (
            Sender.Name(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1"),
            Sender.Name(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY2")
        )
        let (yesterday, today) = (AccountDay(number: 20_000), AccountDay(number: 20_001))
        try store.transaction { transaction in
            #expect(try transaction.account(of: one, on: today) == SenderAccount())
            for entry in [
                SenderAccount.Entry.sent, .sent, .sent, .sent, .accepted, .rejected(.badDeviceToken), .unsent,
            ] {
                try transaction.count(entry, of: one, on: today)
            }
            try transaction.count(.sent, of: one, on: yesterday)
            try transaction.count(.sent, of: other, on: today)
        }
        #expect(throws: Failure.self) {
            try store.transaction { transaction in
                try transaction.count(.sent, of: one, on: today)
                #expect(try transaction.account(of: one, on: today).sent == 4)
                throw Failure()
            }
        }
        try store.transaction { transaction in
            let account = try transaction.account(of: one, on: today)
            #expect(account.sent == 3 && account.accepted == 1 && account.unanswered == 1)
            #expect(account.rejected.map(\.reason) == [.badDeviceToken] && account.rejected.map(\.count) == [1])
            let all = try transaction.accounts(of: nil, since: yesterday)
            #expect(all.map(\.day) == [today, today, yesterday] && all.map(\.sender) == [one, other, one])
            #expect(all.first?.account == account)
            #expect(try transaction.accounts(of: other, since: yesterday).map(\.sender) == [other])
            #expect(try transaction.accounts(of: one, since: today).map(\.day) == [today])
            try transaction.removeAccounts(before: today)
            #expect(try transaction.accounts(of: nil, since: yesterday).map(\.day) == [today, today])
        }
    }

    private static func aSendersWaitIsKept(_ store: some PushStore) throws {
        let (one, other) = (
            Sender.Name(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY1"),
            Sender.Name(teamID: "TEAMTEAM01", keyID: "KEYKEYKEY2")
        )
        let end = WallTime(milliseconds: 1_800_000_000_123)
        try store.transaction { transaction in
            #expect(try transaction.waitEnd(of: one) == nil)
            try transaction.putWait(of: one, until: WallTime(seconds: 1))
            try transaction.putWait(of: one, until: end.advanced(by: .microseconds(456)))
            try transaction.putWait(of: other, until: WallTime(seconds: 2))
            #expect(try transaction.waitEnd(of: one) == end)
        }
        #expect(throws: Failure.self) {
            try store.transaction { transaction in
                try transaction.putWait(of: one, until: WallTime(seconds: 3))
                throw Failure()
            }
        }
        try store.transaction { transaction in
            try transaction.removeWaits(endedBefore: end)
            #expect(try transaction.waitEnd(of: one) == end && transaction.waitEnd(of: other) == nil)
            try transaction.removeWaits(endedBefore: end.advanced(by: .milliseconds(1)))
            #expect(try transaction.waitEnd(of: one) == nil)
        }
    }

    private static func deadTokensAreBounded(_ store: some PushStore) throws {
        // Two tokens are unregistered in each second; one of the oldest two is one too many.
        try store.transaction { transaction in
            for number in 0...TokenDecision.topicsMax {
                try transaction.insert(Self.record(number, topic: "a"))
                let time = WallTime(seconds: Int64(number / 2))
                try transaction.unregister(topic: "a", of: Self.device, at: time)
            }
            let known = try (0...TokenDecision.topicsMax).map { try transaction.record(of: Self.token($0)) != nil }
            #expect(known == [false] + Array(repeating: true, count: TokenDecision.topicsMax))
        }
    }
}
