internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The decision whether a request that came is answered at all.
struct ReceiptTests {
    private static func received(_ id: UInt8, _ records: ModelRecords) throws -> Receipt.OnReceived {
        try Receipt.requestReceived(makeRequest(id), by: identity(3), records, policy: SharingPolicy(), now: noon)
    }

    /// Goal: two pushes of one request, in one process, do not both answer.
    @Test func requestInWorkIsNotTakenTwice() throws {
        let records = ModelRecords()
        guard case .answer = try Self.received(1, records) else { throw FixtureError() }
        guard case .drop(let error) = try Self.received(1, records) else { throw FixtureError() }
        #expect(error.code == .replayed)
        guard case .answer = try Self.received(2, records) else { throw FixtureError() }
        records.died()
        guard case .answer = try Self.received(1, records) else { throw FixtureError() }
    }

    @Test func requestForSomebodyElseIsNotClaimed() throws {
        let records = ModelRecords()
        let decided = try Receipt.requestReceived(
            makeRequest(),
            by: identity(9),
            records,
            policy: SharingPolicy(),
            now: noon
        )
        guard case .drop(let error) = decided else { throw FixtureError() }
        #expect(error.code == .notForUs && records.claims.isEmpty)
    }
}
