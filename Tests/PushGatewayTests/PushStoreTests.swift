internal import Foundation
internal import Rig
internal import SystemSimulator
internal import Testing
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsTestKit

/// Tests all push stores, including the simulator's, with the same rules.
///
/// Otherwise the simulator would show another gateway.
@Suite struct PushStoreTests {
    /// The place of a store's rows.
    enum Kind: CaseIterable {
        case sqlite
        case model
        case postgresql
    }

    /// All stores; without PostgreSQL if it is not installed, which ``PostgreSQLPushStoreTests`` reports.
    static let kinds = Kind.allCases.filter { $0 != .postgresql || PostgreSQLServer.programs != nil }

    /// Runs a test on an empty store, which is closed and gone then.
    private func withStore(_ kind: Kind, _ body: (any PushStore) throws -> Void) throws {
        switch kind {
        case .model: try body(ModelPushStore())
        case .postgresql:
            let url = try PostgreSQLServer.ofThisProcess().address().url
            let store = try PostgreSQLPushStore(#require(try PostgreSQLAddress(url)))
            try body(store)
            store.close()
        case .sqlite:
            let path = FileManager.default.temporaryDirectory.appending(path: "pushes-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: path) }
            let store = try SQLitePushStore(path: path.appending(path: "store").path(percentEncoded: false))
            try body(store)
            try store.close()
        }
    }

    @Test(arguments: Self.kinds, PushStoreRule.allCases)
    func everyStoreKeepsTheRules(_ kind: Kind, _ rule: PushStoreRule) throws {
        try self.withStore(kind) { try rule.check($0) }
    }
}
