internal import APNS
public import PushEngine
public import Testing
internal import Vocabulary

/// The rules that every ``PushEngine/PushStore`` keeps; the gateway relies on each.
///
/// ```swift
/// @Test(arguments: PushStoreRule.allCases) func myStoreKeeps(_ rule: PushStoreRule) throws {
///     try rule.check(MyStore())  // a new, empty one
/// }
/// ```
public enum PushStoreRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A push takes the place of the one for its topic, and is the last of its device then.
    case pushesAreReplacedByTopicAndKeepTheirOrder
    /// A push is there up to the second it expires at, and not in it.
    case expiredPushesAreRemovedAtTheirSecond
    /// A push without expiration date is refused.
    case aPushForOneAttemptIsNotStored
    /// A transaction that throws leaves what was there, and shows its own changes until then.
    case aFailedTransactionChangesNothing
    /// A token is known as what it is: registered, dead since its first unregistration, or never issued.
    case tokensLiveUntilUnregistered
    /// A token is added once, and of one device and topic once.
    case aTokenIsAddedOnceAndATopicHasOne
    /// Of a device the newest dead tokens are remembered, and no more than fit.
    case deadTokensAreBounded

    /// The name of the rule.
    public var testDescription: String { self.rawValue }

    /// Checks the rule; what breaks it is an issue of the test that runs.
    ///
    /// - Parameter store: a store that is empty; it is not afterwards.
    /// - Throws: what the store throws where it must not.
    public func check(_ store: some PushStore) throws {
        switch self {
        case .pushesAreReplacedByTopicAndKeepTheirOrder: try Self.pushesAreReplacedByTopicAndKeepTheirOrder(store)
        case .expiredPushesAreRemovedAtTheirSecond: try Self.expiredPushesAreRemovedAtTheirSecond(store)
        case .aPushForOneAttemptIsNotStored: try Self.aPushForOneAttemptIsNotStored(store)
        case .aFailedTransactionChangesNothing: try Self.aFailedTransactionChangesNothing(store)
        case .tokensLiveUntilUnregistered: try Self.tokensLiveUntilUnregistered(store)
        case .aTokenIsAddedOnceAndATopicHasOne: try Self.aTokenIsAddedOnceAndATopicHasOne(store)
        case .deadTokensAreBounded: try Self.deadTokensAreBounded(store)
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

    private static func tokens(_ store: some PushStore) throws -> [TokenRecord] {
        var tokens: [TokenRecord] = []
        try store.transaction { tokens = try $0.registeredTokens(of: Self.device) }
        return tokens
    }

    private static func pushesAreReplacedByTopicAndKeepTheirOrder(_ store: some PushStore) throws {
        let (first, second, third) = (
            try Self.push(1, topic: "a"), try Self.push(2, topic: "b"), try Self.push(3, topic: "a")
        )
        let elsewhere = try Self.push(9, topic: "a")
        try store.transaction { transaction in
            try transaction.put(first, for: Self.device)
            try transaction.put(second, for: Self.device)
            try transaction.put(elsewhere, for: Self.other)
        }
        #expect(try Self.pushes(store) == [first, second])
        try store.transaction { try $0.put(third, for: Self.device) }
        #expect(try Self.pushes(store) == [second, third])
        try store.transaction { transaction in
            try transaction.removePush(second.id, of: Self.device)
            // One that is not there, and one of another device.
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
            try transaction.removeExpired(now: WallTime(milliseconds: 10_999))
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
        let record = TokenRecord(token: try Self.token(1), device: Self.device, topic: "a")
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
        #expect(try Self.tokens(store) == [record])
    }

    private static func tokensLiveUntilUnregistered(_ store: some PushStore) throws {
        let record = TokenRecord(token: try Self.token(1), device: Self.device, topic: "a")
        let renewed = TokenRecord(token: try Self.token(2), device: Self.device, topic: "a")
        let second = TokenRecord(token: try Self.token(4), device: Self.device, topic: "b")
        let elsewhere = TokenRecord(token: try Self.token(5), device: Self.other, topic: "a")
        let time = WallTime(milliseconds: 1_800_000_000_123)
        try store.transaction { transaction in
            try transaction.insert(record)
            #expect(try transaction.record(of: record.token) == record)
            try transaction.unregister(topic: "a", of: Self.device, at: time)
            // A second time changes nothing: the time is that of the first.
            try transaction.unregister(topic: "a", of: Self.device, at: WallTime(seconds: 1))
            let dead = TokenRecord(token: record.token, device: Self.device, topic: "a", unregisteredAt: time)
            #expect(try transaction.record(of: record.token) == dead)
            #expect(try transaction.registeredTokens(of: Self.device).isEmpty)
            for record in [renewed, second, elsewhere] { try transaction.insert(record) }
            #expect(try Set(transaction.registeredTokens(of: Self.device)) == [renewed, second])
            let unknown = try Self.token(3)
            #expect(try transaction.record(of: unknown) == nil)
        }
    }

    private static func aTokenIsAddedOnceAndATopicHasOne(_ store: some PushStore) throws {
        let record = TokenRecord(token: try Self.token(1), device: Self.device, topic: "a")
        try store.transaction { try $0.insert(record) }
        for wrong in [
            record, TokenRecord(token: record.token, device: Self.other, topic: "b"),
            TokenRecord(token: try Self.token(2), device: Self.device, topic: "a"),
        ] {
            #expect(throws: (any Error).self) { try store.transaction { try $0.insert(wrong) } }
        }
        #expect(try Self.tokens(store) == [record])
    }

    private static func deadTokensAreBounded(_ store: some PushStore) throws {
        // Two die in each second; of the oldest two, one is one too many.
        try store.transaction { transaction in
            for number in 0...Registration.topicsMax {
                try transaction.insert(
                    TokenRecord(token: Self.token(number), device: Self.device, topic: "a")
                )
                let time = WallTime(seconds: Int64(number / 2))
                try transaction.unregister(topic: "a", of: Self.device, at: time)
            }
            let known = try (0...Registration.topicsMax).map { try transaction.record(of: Self.token($0)) != nil }
            #expect(known == [false] + Array(repeating: true, count: Registration.topicsMax))
        }
    }
}
