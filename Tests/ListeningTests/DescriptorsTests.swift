internal import Listening
internal import Testing

@Suite struct DescriptorsTests {
    @Test(arguments: [
        (Int.max, [1000, 10_000]), (20_000, [1000, 10_000]), (1024, [81, 814]), (128, [1, 1]), (0, [1, 1]),
    ])
    func listenersShareTheDescriptorsThereAre(limit: Int, expected: [Int]) {
        #expect(Descriptors.share(limit, among: [1000, 10_000]) == expected)
    }

    @Test func theLimitIsRaisedAsFarAsItGoes() {
        let limit = Descriptors.raiseLimit()
        #expect(limit >= 1024)
        #expect(Descriptors.raiseLimit() == limit)
    }
}
