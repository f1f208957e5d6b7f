internal import Foundation
internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing

/// What only a store in a file can do; for the rest see ``StoreTests``.
struct SQLiteStoreTests {
    @Test func whatWasCommittedIsThereForAnotherNode() async throws {
        let bench = try StoreBench(.sqlite)
        try await bench.register()
        let request = try bench.request(2)
        guard case .decided(.accept(let life, _)) = try await bench.admit(request) else { throw TownError() }
        #expect(try await bench.store.revoke(bench.revocation(1)))
        let again = try SQLiteStore(path: bench.town.path("store.sqlite"), policy: bench.policy)
        let record = try #require(try await again.request(request.value.id))
        #expect(record.life == life && record.request == request && record.answer == nil)
        #expect(try await again.pending(for: bench.sharer.publicIdentity).map(\.request) == [request])
        #expect(try await again.device(of: bench.sharer.publicIdentity)?.token == [1])
        try await bench.answer(request, [4, 2])
        #expect(try await again.request(request.value.id)?.answer == [4, 2])
        #expect(try await again.nextDeadline() == nil)
    }

    @Test func fileIsPrivateAndForeignFilesAreNamed() throws {
        let bench = try StoreBench(.sqlite)
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.town.path("store.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let foreign = bench.town.path("foreign")
        try Data("no database, but long enough to be looked at".utf8).write(to: URL(filePath: foreign))
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: foreign, policy: Policy()) }
        #expect(error?.message.contains(foreign) == true)
    }
}
