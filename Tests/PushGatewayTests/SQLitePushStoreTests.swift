internal import APNS
internal import Foundation
internal import PushEngine
internal import PushGateway
internal import Testing

/// What only a store in a file can do; for the rest see ``PushStoreTests``.
@Suite struct SQLitePushStoreTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    func open() throws -> SQLitePushStore { try SQLitePushStore(path: self.rig.path("store.sqlite")) }

    @Test func pushesAndTokensSurviveClosing() throws {
        let (first, second, third) = (
            try PushStoreTests.push(1, topic: "a"), try PushStoreTests.push(2, topic: "b"),
            try PushStoreTests.push(3, topic: "a")
        )
        let device = PushStoreTests.device
        let record = TokenRecord(token: try PushStoreTests.token(1), device: device, topic: "a")
        var store = try self.open()
        try store.transaction { transaction in
            try transaction.put(first, for: device)
            try transaction.put(second, for: device)
            try transaction.insert(record)
        }
        try store.close()
        store = try self.open()
        #expect(try PushStoreTests.pushes(store) == [first, second])
        try store.transaction { transaction in
            #expect(try transaction.record(of: record.token) == record)
            try transaction.put(third, for: device)
            try transaction.removePush(second.id, of: device)
        }
        try store.close()
        store = try self.open()
        #expect(try PushStoreTests.pushes(store) == [third])
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
