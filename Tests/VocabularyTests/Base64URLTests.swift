internal import Foundation
internal import Testing
internal import WhereaboutsVocabulary

@Suite struct Base64URLTests {
    /// The vectors of RFC 4648, section 10, without padding, and both characters in which the alphabets differ.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("~~~???", "fn5-Pz8_"),
    ]) func aTextHasTheCharactersOfTheStandard(bytes: String, text: String) {
        #expect(Base64URL.text(of: bytes.utf8) == text)
        #expect(Base64URL.bytes(of: text) == Array(bytes.utf8))
    }

    /// Goal: Foundation writes the same text, whatever the length and the bytes.
    @Test func foundationWritesTheSameText() {
        var bytes: [UInt8] = []
        for number in 0..<300 {
            let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64URL.text(of: bytes) == text.prefix { $0 != "=" })
            #expect(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
            bytes.append(UInt8(truncatingIfNeeded: number * 151 + number / 256))
        }
    }

    /// Goal: a value has exactly one text.
    ///
    /// Method: texts with padding, with the characters of base64, with unused bits that are not zero, with a length that no
    /// bytes have, and with characters of neither alphabet.
    @Test(arguments: ["Zg==", "fn5+Pz8/", "Zh", "Zm9", "Z", "Zm9vY", "Zm 9v", "Zm9v\n", "Zm9\u{E9}", "Zm9v\0"])
    func anotherSpellingIsRefused(text: String) {
        #expect(Base64URL.bytes(of: text) == nil)
    }
}
