internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct FNV1aTests {
    /// The test vectors of the authors (http://www.isthe.com/chongo/src/fnv/test_fnv.c).
    @Test(arguments: [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)])
    func itGivesThePublishedValues(_ text: String, _ value: UInt64) {
        var hash = FNV1a()
        hash.add(text.utf8)
        #expect(hash.value == value)
    }

    @Test func aNumberIsItsBytesFromTheLeast() {
        var (number, bytes) = (FNV1a(), FNV1a())
        number.add(0x0807_0605_0403_0201 as UInt64)
        bytes.add([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(number == bytes)
    }
}
