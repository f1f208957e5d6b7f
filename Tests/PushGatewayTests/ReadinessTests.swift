internal import Foundation
internal import GRDB
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// A gateway says whether pushes are taken.
@Suite struct ReadinessTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    /// Returns once all that was asked of the gateway before is done, and what its batch had to do after its commit.
    private func settle(_ gateway: PushGateway) async throws {
        for _ in 0..<2 { _ = try await gateway.status() }
    }

    /// Goal: on a full disk questions are answered, and the gateway is not ready for all that; it is when a write comes to disk.
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

    /// Goal: an operator whose order fails learns whether it is the database, the end, or a moment.
    @Test func anOrderThatFailsSaysWhy() {
        let full = DatabaseError(resultCode: .SQLITE_FULL, message: "database or disk is full")
        #expect(OperatorHandler.words(full).contains("(database or disk is full); check its disk"))
        #expect(OperatorHandler.words(Rejection(.internalServerError)).contains("the log says why"))
        #expect(OperatorHandler.words(Rejection(.shutdown)) == "the gateway is ending")
        #expect(OperatorHandler.words(Rejection(.serviceUnavailable)) == "the gateway cannot answer now")
    }

    /// Goal: the trial is a write: SQLite's log grows by it, and what the database says stays the same.
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
