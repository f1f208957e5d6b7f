internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@Suite struct IdentifierTests {
    @Test(arguments: ["123e4567-e89b-12d3-a456-42665544000a", "123E4567-E89B-12D3-A456-42665544000A"])
    func messageIDsKeepTheirText(text: String) throws {
        #expect(try #require(MessageID(text)).text == text)
    }

    @Test(arguments: [
        "", "123e4567e89b12d3a45642665544000a", "123e4567-e89b-12d3-a456-42665544000",
        "{123e4567-e89b-12d3-a456-42665544000a}",
        "123e4567-e89b-12d3-a456-42665544000g", "123e4567-e89b-12d3-a456-42665544000a-",
    ])
    func otherTextIsNoMessageID(text: String) {
        #expect(MessageID(text) == nil)
    }

    @Test func drawnMessageIDsAreUpperCaseVersion4() throws {
        var generator = SeededGenerator(seed: 1)
        let text = MessageID(using: &generator).text
        #expect(MessageID(text) != nil)
        #expect(text == text.uppercased())
        #expect(text.split(separator: "-")[2].hasPrefix("4"))
    }

    @Test func tokensAreReadInEitherCase() throws {
        let token = try #require(DeviceToken(hex: "00aBFf"))
        #expect(token.bytes == [0, 0xAB, 0xFF])
        #expect(token.hex == "00abff")
    }

    @Test func tokenLengthIsBounded() {
        #expect(DeviceToken(hex: "") == nil)
        #expect(DeviceToken(hex: "abc") == nil)
        #expect(DeviceToken(hex: "zz") == nil)
        #expect(DeviceToken(bytes: Array(repeating: 1, count: Limits.deviceTokenBytesMax)) != nil)
        #expect(DeviceToken(bytes: Array(repeating: 1, count: Limits.deviceTokenBytesMax + 1)) == nil)
    }
}
