internal import APNS
internal import Foundation
internal import PushEngine
internal import PushGateway
internal import SystemSimulator
internal import Testing

/// What every push store must do, the simulator's too: else the simulator would show another gateway than runs.
@Suite struct PushStoreTests {
    /// What a store keeps its rows in.
    enum Kind: CaseIterable {
        case sqlite
        case model
    }

    static let device = DeviceKey(bytes: Array(repeating: 1, count: 32))
    static let other = DeviceKey(bytes: [2])

    static func push(_ number: UInt8, topic: String, expires: Int64 = 100) throws -> StoredPush {
        StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [number],
            priority: .powerConsiderate,
            expiration: .until(expires),
            collapseID: number == 1 ? "c" : nil
        )
    }

    static func token(_ number: Int) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8(number / 256), UInt8(number % 256)]))
    }

    static func pushes(_ store: any PushStore, of device: DeviceKey = Self.device) throws -> [StoredPush] {
        var pushes: [StoredPush] = []
        try store.transaction { pushes = try $0.pushes(of: device) }
        return pushes
    }

    static func tokens(_ store: any PushStore) throws -> [TokenRecord] {
        var tokens: [TokenRecord] = []
        try store.transaction { tokens = try $0.registeredTokens(of: Self.device) }
        return tokens
    }

    /// Runs a test on an empty store, which is closed and gone then.
    private func withStore(_ kind: Kind, _ body: (any PushStore) throws -> Void) throws {
        switch kind {
        case .model: try body(ModelPushStore())
        case .sqlite:
            let path = FileManager.default.temporaryDirectory.appending(path: "pushes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: path) }
            let store = try SQLitePushStore(path: path.appending(path: "store").path(percentEncoded: false))
            try body(store)
            try store.close()
        }
    }

    @Test(arguments: Kind.allCases) func pushesAreReplacedByTopicAndKeepTheirOrder(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func expiredPushesAreRemovedAtTheirSecond(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func aPushForOneAttemptIsNotStored(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func aFailedTransactionChangesNothing(_ kind: Kind) throws {
        struct Failure: Error {}
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func tokensLiveUntilUnregistered(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func aTokenIsAddedOnceAndATopicHasOne(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
    }

    @Test(arguments: Kind.allCases) func deadTokensAreBounded(_ kind: Kind) throws {
        try self.withStore(kind) { store in
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
}
