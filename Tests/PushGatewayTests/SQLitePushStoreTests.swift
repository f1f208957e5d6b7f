internal import APNS
internal import Foundation
internal import PushEngine
internal import PushGateway
internal import Testing
internal import Vocabulary

/// Properties of a store in a file alone; for the rest see `PushStoreRule`.
@Suite struct SQLitePushStoreTests {
    private static let device = DeviceKey(bytes: Array(repeating: 1, count: 32))

    private static func push(_ number: UInt8, topic: String) throws -> StoredPush {
        StoredPush(
            id: try #require(PushID(bytes: Array(repeating: number, count: 16))),
            topic: topic,
            payload: [number],
            priority: .powerConsiderate,
            expiration: .until(100),
            collapseID: nil
        )
    }

    private static func token(_ number: Int) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8(number)]))
    }

    private static func pushes(_ store: any PushStore) throws -> [StoredPush] {
        var pushes: [StoredPush] = []
        try store.transaction { pushes = try $0.pushes(of: Self.device) }
        return pushes
    }

    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    func open() throws -> SQLitePushStore { try SQLitePushStore(path: self.rig.path("store.sqlite")) }

    @Test func pushesAndTokensSurviveClosing() throws {
        let (first, second, third) = (
            try Self.push(1, topic: "a"), try Self.push(2, topic: "b"),
            try Self.push(3, topic: "a")
        )
        let record = TokenRecord(token: try Self.token(1), device: Self.device, topic: "a")
        var store = try self.open()
        try store.transaction { transaction in
            try transaction.put(first, for: Self.device)
            try transaction.put(second, for: Self.device)
            try transaction.insert(record)
        }
        try store.close()
        store = try self.open()
        #expect(try Self.pushes(store) == [first, second])
        try store.transaction { transaction in
            #expect(try transaction.record(of: record.token) == record)
            try transaction.put(third, for: Self.device)
            try transaction.removePush(second.id, of: Self.device)
        }
        try store.close()
        store = try self.open()
        #expect(try Self.pushes(store) == [third])
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
