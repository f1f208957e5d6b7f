internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests for `/ready`, which says whether the gateway accepts pushes.
@Suite struct ReadinessTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    /// Returns after all earlier requests to the gateway, including the work after their commit.
    private func settle(_ gateway: PushGateway) async throws {
        for _ in 0..<2 { _ = try await gateway.status() }
    }

    /// Goal: on a full disk, requests are still answered, and the gateway is not ready until a write succeeds.
    @Test func onlyAWriteMakesAStoreWellAgain() async throws {
        let disk = FailingDisk()
        try await self.rig.withGateway(disk: disk) { gateway in
            try await self.settle(gateway)
            #expect(gateway.isReady)
            disk.fail([.transactions, .writes])
            await #expect(throws: Rejection.self) {
                try await gateway.remove(DeviceKey(bytes: [UInt8](repeating: 7, count: 32)))
            }
            #expect(!gateway.isReady)
            disk.fail([.writes])
            gateway.host.tryStore()
            try await self.settle(gateway)
            #expect(!gateway.isReady)
            #expect(try await !gateway.status().isReady)
            disk.fail([])
            gateway.host.tryStore()
            try await self.settle(gateway)
            #expect(gateway.isReady)
        }
    }

    /// Goal: the error of an operator's order says whether the database failed, the gateway is stopping, or a retry
    /// will help.
    @Test func anOrderThatFailsSaysWhy() {
        let full = DatabaseError(resultCode: .SQLITE_FULL, message: "database or disk is full")
        #expect(OperatorHandler.words(full).contains("(database or disk is full); check its disk"))
        #expect(OperatorHandler.words(Rejection(.internalServerError)).contains("the log says why"))
        #expect(OperatorHandler.words(Rejection(.shutdown)) == "the gateway is ending")
        #expect(OperatorHandler.words(Rejection(.serviceUnavailable)) == "the gateway cannot answer now")
    }

    /// Goal: the readiness check writes: SQLite's log grows, but the database's content stays the same.
    @Test func theTrialOfADatabaseIsAWrite() throws {
        let store = try SQLitePushStore(path: self.rig.path("trial.sqlite"))
        let log = URL(fileURLWithPath: self.rig.path("trial.sqlite-wal"))
        func version() throws -> Int? { try store.database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } }
        let (before, bytes) = (try version(), try Data(contentsOf: log).count)
        try store.tryWriting()
        #expect(try Data(contentsOf: log).count > bytes)
        #expect(try version() == before)
        // The disk has to hold the log, too.
        #expect(try #require(store.bytesCount) > (try Data(contentsOf: log).count))
        try store.close()
    }
}
