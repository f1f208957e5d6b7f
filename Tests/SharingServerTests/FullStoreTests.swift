internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

/// Tests for a store that strangers fill.
struct FullStoreTests {
    private let town: Town
    private let now = WallTime(milliseconds: 1_800_000_000_000)

    init() throws {
        self.town = try Town()
    }

    private func store() throws -> SQLiteStore {
        try SQLiteStore(path: self.town.path("store.sqlite"), policy: SharingPolicy(), pagesMax: 200)
    }

    private func registration(_ number: Int) throws -> Registration {
        // A last byte that keeps the first ones from being keys of small order.
        let bytes = (0..<31).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + [1]
        return try Town.registration(
            of: PublicIdentity(bytes: bytes) ?? { throw TownError() }(),
            token: Array(repeating: 1, count: 100),
            topic: String(repeating: "a", count: 155),
            issued: self.now
        )
    }

    /// Registers strangers until the server has no room for more.
    private func fill(_ store: SQLiteStore, from number: Int = 0, at now: WallTime) async throws -> Int {
        let server = Server(policy: SharingPolicy())
        var number = number
        while true {
            let verified = Verified(Signed(value: try self.registration(number), signature: []))
            let action = try await store.transaction { try server.deviceRegistered(verified, $0, now: now).reply }
            guard action == .confirm else { return number }
            number += 1
        }
    }

    @Test func revocationsAreKeptInAFullStoreThatOpensAgain() async throws {
        let count = try await self.fill(self.store(), at: self.now)
        #expect(count > 100)
        let again = try self.store()
        #expect(try await self.fill(again, from: count, at: self.now) == count)
        let server = Server(policy: SharingPolicy())
        let sharer = try self.registration(0).sharer
        let revocation = Revocation(
            grant: GrantID(high: 1, low: 1),
            sharer: sharer,
            notAfter: self.now.advanced(by: .seconds(60))
        )
        let verified = Verified(Signed(value: revocation, signature: []))
        let now = self.now
        let revoked = try await again.transaction { try server.grantRevoked(verified, $0, now: now) }
        #expect(revoked == .confirm)
        // A known sharer renews the registration.
        let renewal = try Town.registration(of: sharer, token: [2], issued: self.now.advanced(by: .seconds(1)))
        let renewed = Verified(Signed(value: renewal, signature: []))
        let kept = try await again.transaction { try server.deviceRegistered(renewed, $0, now: now).reply }
        #expect(kept == .confirm)
        // A month later, there is room again.
        let later = self.now.advanced(by: SharingPolicy().registrationLifetime)
        while try await again.transaction({ try $0.prune(now: later, max: 1000) }) {}
        #expect(try await again.read { try $0.room().used } < 100)
        #expect(try await self.fill(again, from: count, at: later) > count + 100)
    }

    /// Goal: a file that an older server filled to its last page can be opened and pruned.
    @Test func aFileWithoutAPageLeftOpensAgain() async throws {
        let store = try self.store()
        await #expect(throws: (any Error).self) {
            for batch in 0... {
                let registrations = try (0..<1000).map { try self.registration(batch * 1000 + $0) }
                try await store.transaction { [now] in
                    for registration in registrations { try $0.put(registration, at: now, until: now) }
                }
            }
        }
        let again = try self.store()
        while try await again.transaction({ [now] in try $0.prune(now: now, max: 1000) }) {}
        let sharer = try self.registration(0).sharer
        #expect(try await again.read { try $0.registration(of: sharer) } == nil)
        #expect(try await again.read { try $0.room().used } < 100)
    }
}
