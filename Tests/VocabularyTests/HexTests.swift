internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct HexTests {
    @Test func everyByteLeadsBack() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Hex.bytes(of: Hex.text(of: bytes)) == bytes)
        #expect(Hex.bytes(of: Hex.text(of: bytes).uppercased()) == bytes)
    }

    @Test func digitsAreLowerCaseAndTwo() {
        #expect(Hex.text(of: [0, 10, 0xAB, 0xFF]) == "000aabff")
        #expect(Hex.text(of: []).isEmpty)
        #expect(Hex.bytes(of: "") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "g0", "0x", " 0", "-1", "é0"]) func anythingElseIsRefused(_ text: String) {
        #expect(Hex.bytes(of: text) == nil)
    }
}
