internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests the replacement of a friend's key, over real TLS.
struct SuccessionTests {
    @Test func theNewKeyAsksOnTheOldTermsAndTheOldOneNoMore() async throws {
        let town = try Town()
        try await town.withServer { port in
            let limits = GrantLimits(usesMax: 9)
            let (sharer, requester, grant) = try await town.people(port: port, precision: .reduced, limits: limits)
            let old = requester.profile.identity.publicIdentity
            let successor = try Requester(profile: town.profile("successor", port: port))
            let new = successor.profile.identity.publicIdentity
            let given = try #require(try await sharer.accept(new, inPlaceOf: old))
            #expect(given.value.requester == new && given.value.precision == .reduced && given.value.usesMax == 9)
            #expect(given.value.notAfter == grant.value.notAfter)
            // Repeating it makes no second grant.
            #expect(try await sharer.accept(new, inPlaceOf: old) == given)
            #expect(sharer.profile.isRevoked(grant.value.id) && !sharer.profile.isRevoked(given.value.id))
            #expect(await requester.updates(grant).last?.state.kind == .refused)
            async let asked = successor.updates(given)
            try await sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await asked.last?.state.kind == .answered)
            // A person without a grant gets none.
            let stranger = try Identity().publicIdentity
            #expect(try await sharer.accept(Identity().publicIdentity, inPlaceOf: stranger) == nil)
        }
    }
}
