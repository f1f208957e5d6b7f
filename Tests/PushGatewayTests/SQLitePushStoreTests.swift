internal import APNS
internal import Foundation
internal import PushEngine
internal import PushGateway
internal import Testing

/// The laws of a store, across closing and opening it again.
@Suite struct SQLitePushStoreTests {
    let rig: GatewayRig
    let device = DeviceKey(bytes: Array(repeating: 1, count: 32))

    init() throws {
        self.rig = try GatewayRig()
    }

    func open() throws -> SQLitePushStore { try SQLitePushStore(path: self.rig.path("store.sqlite")) }

    func push(_ number: UInt8, topic: String, expires: Int64 = 100) throws -> StoredPush {
        StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [number],
            priority: .powerConsiderate,
            expiration: .until(expires),
            collapseID: number == 1 ? "c" : nil
        )
    }

    func token(_ number: UInt8) throws -> DeviceToken { try #require(DeviceToken(bytes: [number])) }

    func pushes(_ store: SQLitePushStore) throws -> [StoredPush] {
        var pushes: [StoredPush] = []
        try store.transaction { pushes = try $0.pushes(of: self.device) }
        return pushes
    }

    @Test func pushesSurviveAndAreReplacedByTopic() throws {
        let (first, second, third) = (
            try self.push(1, topic: "a"), try self.push(2, topic: "b"), try self.push(3, topic: "a")
        )
        var store = try self.open()
        try store.transaction { transaction in
            try transaction.put(first, for: self.device)
            try transaction.put(second, for: self.device)
            try transaction.put(try self.push(9, topic: "a"), for: DeviceKey(bytes: [2]))
        }
        try store.close()
        store = try self.open()
        #expect(try self.pushes(store) == [first, second])
        try store.transaction { try $0.put(third, for: self.device) }
        #expect(try self.pushes(store) == [second, third])
        try store.transaction { try $0.removePush(second.id, of: self.device) }
        try store.close()
        store = try self.open()
        #expect(try self.pushes(store) == [third])
        try store.close()
    }

    @Test func expiredPushesAreRemovedAtTheirSecond() throws {
        let store = try self.open()
        let kept = try self.push(2, topic: "b", expires: 11)
        try store.transaction { transaction in
            try transaction.put(try self.push(1, topic: "a", expires: 10), for: self.device)
            try transaction.put(kept, for: self.device)
            try transaction.removeExpired(now: WallTime(seconds: 10))
        }
        #expect(try self.pushes(store) == [kept])
        try store.close()
    }

    @Test func aFailedTransactionChangesNothing() throws {
        struct Failure: Error {}
        let store = try self.open()
        #expect(throws: Failure.self) {
            try store.transaction { transaction in
                try transaction.put(try self.push(1, topic: "a"), for: self.device)
                throw Failure()
            }
        }
        #expect(try self.pushes(store).isEmpty)
        try store.close()
    }

    @Test func tokensLiveUntilUnregistered() throws {
        let record = TokenRecord(token: try self.token(1), device: self.device, topic: "a")
        let renewed = TokenRecord(token: try self.token(2), device: self.device, topic: "a")
        let time = WallTime(milliseconds: 1_800_000_000_123)
        let store = try self.open()
        try store.transaction { transaction in
            try transaction.insert(record)
            #expect(try transaction.record(of: record.token) == record)
            try transaction.unregister(topic: "a", of: self.device, at: time)
            // A second time changes nothing: the time is that of the first.
            try transaction.unregister(topic: "a", of: self.device, at: WallTime(seconds: 1))
            let dead = TokenRecord(token: record.token, device: self.device, topic: "a", unregisteredAt: time)
            #expect(try transaction.record(of: record.token) == dead)
            #expect(try transaction.registeredTokens(of: self.device).isEmpty)
            try transaction.insert(renewed)
            #expect(try transaction.registeredTokens(of: self.device) == [renewed])
            let unknown = try self.token(3)
            #expect(try transaction.record(of: unknown) == nil)
        }
        try store.close()
    }

    @Test func deadTokensAreBounded() throws {
        let store = try self.open()
        try store.transaction { transaction in
            for number in 0...Registration.topicsMax {
                let token = try #require(DeviceToken(bytes: [UInt8(number / 256), UInt8(number % 256)]))
                try transaction.insert(TokenRecord(token: token, device: self.device, topic: "a"))
                try transaction.unregister(topic: "a", of: self.device, at: WallTime(seconds: Int64(number)))
            }
            let oldest = try #require(DeviceToken(bytes: [0, 0]))
            let next = try #require(DeviceToken(bytes: [0, 1]))
            #expect(try transaction.record(of: oldest) == nil)
            #expect(try transaction.record(of: next) != nil)
        }
        try store.close()
    }

    @Test func theFileIsItsOwnersAlone() throws {
        let store = try self.open()
        let attributes = try FileManager.default.attributesOfItem(atPath: self.rig.path("store.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try store.close()
    }

    @Test func aSecondGatewayIsRefused() throws {
        let store = try self.open()
        let error = #expect(throws: GatewayError.self) { try self.open() }
        #expect(error?.message.contains("another process") == true)
        try store.close()
    }
}
