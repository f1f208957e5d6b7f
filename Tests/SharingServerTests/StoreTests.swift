internal import Rig
internal import SharingStoreModel
internal import Testing
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharingEngine
internal import WhereaboutsTestKit

@testable internal import WhereaboutsSharingServer

/// Tests all request stores, including the simulator's, with the same rules.
///
/// Otherwise the simulator would show another server.
struct StoreTests {
    /// The place of a store's rows.
    enum Kind: CaseIterable {
        case sqlite
        case model
        case postgresql
    }

    /// All stores; without PostgreSQL if it is not installed, which ``PostgreSQLStoreTests`` reports.
    static let kinds = Kind.allCases.filter { $0 != .postgresql || PostgreSQLServer.programs != nil }

    @Test(arguments: Self.kinds, RequestStoreRule.allCases)
    func everyStoreKeepsTheRules(_ kind: Kind, _ rule: RequestStoreRule) async throws {
        let town = try Town()
        switch kind {
        case .sqlite: try await rule.check(SQLiteStore(path: town.path("store.sqlite"), policy: SharingPolicy()))
        case .model: try await rule.check(ModelStore())
        case .postgresql:
            let address = try #require(try PostgreSQLAddress(PostgreSQLServer.ofThisProcess().address().url))
            try await rule.check(PostgreSQLStore(address, policy: SharingPolicy(), connections: 4))
        }
    }
}
