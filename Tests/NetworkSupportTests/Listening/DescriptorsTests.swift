internal import Testing
internal import WhereaboutsNetworkSupport

@Suite struct DescriptorsTests {
    @Test(arguments: [
        (Int.max, [1000, 10_000]), (20_000, [1000, 10_000]), (1024, [81, 814]), (128, [1, 1]), (0, [1, 1]),
    ])
    func listenersShareTheDescriptorsThereAre(limit: Int, expected: [Int]) {
        #expect(Descriptors.share(limit, among: [(1000, weight: 1), (10_000, weight: 10)]) == expected)
    }

    /// Goal: a listener cannot use another one's share of the descriptors, but may use what it leaves.
    @Test(arguments: [
        ([1_000_000, 10_000], [81, 814]), ([1_000_000, 10], [886, 10]), ([5, 1_000_000], [5, 891]),
        ([1_000_000, 800], [96, 800]), ([800, 1_000_000], [81, 814]), ([1, 1], [1, 1]),
    ])
    func aGreatWishTakesNoPlaceOfAnother(wanted: [Int], expected: [Int]) {
        let wishes = [(wanted[0], weight: 1), (wanted[1], weight: 10)]
        #expect(Descriptors.share(1024, among: wishes) == expected)
    }

    @Test func theLimitIsRaisedAsFarAsItGoes() throws {
        let limit = try Descriptors.raiseLimit()
        #expect(limit >= 1024)
        #expect(try Descriptors.raiseLimit() == limit)
    }
}
