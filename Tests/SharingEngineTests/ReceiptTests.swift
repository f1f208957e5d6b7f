internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for deciding whether a received request is answered.
struct ReceiptTests {
    private static func received(_ id: UInt8, _ records: ModelRecords) throws -> Receipt.OnReceived {
        try Receipt.requestReceived(makeRequest(id), by: identity(3), records, policy: SharingPolicy(), now: noon)
    }

    /// Goal: if one process receives two pushes of a request, only one is answered.
    @Test func requestInWorkIsNotTakenTwice() throws {
        let records = ModelRecords()
        guard case .answer = try Self.received(1, records) else { throw FixtureError() }
        guard case .drop(let error) = try Self.received(1, records) else { throw FixtureError() }
        #expect(error.code == .replayed)
        guard case .answer = try Self.received(2, records) else { throw FixtureError() }
        records.died()
        guard case .answer = try Self.received(1, records) else { throw FixtureError() }
    }

    /// Goal: a request in progress does not block another one to which its requester gave the same ID.
    @Test func theSameIDWithOtherBytesIsClaimedAlone() throws {
        let records = ModelRecords()
        let again = try makeRequest(1, issued: after(1))
        guard case .answer(let first) = try Self.received(1, records) else { throw FixtureError() }
        let decided = try Receipt.requestReceived(
            again,
            by: identity(3),
            records,
            policy: SharingPolicy(),
            now: after(1)
        )
        guard case .answer(let second) = decided else { throw FixtureError() }
        #expect(records.claims == [first.digest, second.digest] && records.claims.count == 2)
        records.leave(first.digest)
        #expect(records.claims == [second.digest])
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
