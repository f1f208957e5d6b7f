internal import SharingStoreModel
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsTestKit

/// The rules of request stores, kept by the simulator's too: otherwise the simulator would show another server than runs.
struct StoreTests {
    /// The place of a store's rows.
    enum Kind: CaseIterable {
        case sqlite
        case model
    }

    @Test(arguments: Kind.allCases, RequestStoreRule.allCases)
    func everyStoreKeepsTheRules(_ kind: Kind, _ rule: RequestStoreRule) async throws {
        let town = try Town()
        switch kind {
        case .sqlite: try await rule.check(SQLiteStore(path: town.path("store.sqlite"), policy: SharingPolicy()))
        case .model: try await rule.check(ModelStore())
        }
    }
}
