internal import Testing

@testable internal import WhereaboutsVocabulary

/// Goal: the halves, bytes and digits of a 16-byte name are equivalent.
@Suite struct Identifier128Tests {
    @Test func halvesBytesAndDigitsAreWrittenMostSignificantFirst() throws {
        let id = PushID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0EFF)
        #expect(id.bytes == Array(0...14) + [255])
        #expect(id.description == "000102030405060708090a0b0c0d0eff")
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func everyFormLeadsBack(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let id = PushID(using: &random)
        #expect(PushID(bytes: id.bytes) == id)
        #expect(PushID(id.description) == id)
        #expect(PushID(high: id.high, low: id.low) == id)
        #expect(PushID(using: &random) != id)
    }

    @Test func onlySixteenBytesAreAName() {
        for count in [0, 8, 15, 17] { #expect(PushID(bytes: Array(repeating: 1, count: count)) == nil) }
    }

    /// Two spellings of one name would be two files.
    @Test(arguments: [
        "", "000102030405060708090a0b0c0d0e", "000102030405060708090a0b0c0d0e0", "000102030405060708090A0B0C0D0EFF",
        "00 102030405060708090a0b0c0d0eff", "000102030405060708090a0b0c0d0eff0", "０00102030405060708090a0b0c0d0ef",
    ])
    func aNameHasOneSpelling(_ text: String) {
        #expect(PushID(text) == nil)
    }
}
