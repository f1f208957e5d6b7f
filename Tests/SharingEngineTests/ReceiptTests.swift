internal import SharingEngine
internal import Testing
internal import Vocabulary

/// The decision whether a request that came is answered at all.
struct ReceiptTests {
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
