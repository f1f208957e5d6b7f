internal import Foundation
internal import Testing
internal import WhereaboutsAPNS

/// Tests for valid JSON payloads: every JSON parser must read an accepted payload in the same way.
@Suite struct JSONObjectTests {
    private static func nested(_ depth: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    @Test(arguments: [
        "{}", " \t\r\n{ } ", #"{"aps":{"content-available":1},"x":[1,-2.5e-3,0,0.0,-0,1E5,true,false,null,""]}"#,
        #"{"é":"\u00e9 \ud83d\ude00 😀 \"\\\/\b\f\n\r\t"}"#, #"{"a":1,"a":2}"#, #"{"n":123456789012345678901234567890}"#,
        #"{"":{}}"#, #"{"a":1e308}"#, "{\"a\":\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{10FFFF}\"}",
        Self.nested(JSONObject.depthMax), #"{"a":[]}"#, #"{"a" : [ 1 , 2 ] , "b" : { } }"#,
    ])
    func isAnObject(_ text: String) throws {
        #expect(JSONObject.isObject(Array(text.utf8)))
        // An extension receives it as a dictionary.
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    }

    @Test(arguments: [
        "", " ", "null", "[1]", "1", #""{}""#, "{", "}", "{}{}", "{} x", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, #"{"a":1,}"#,
        #"{"a":[1,]}"#, #"{"a":[1}"#, #"{"a":1]"#, #"{,}"#, #"{"a":007}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#,
        #"{"a":+1}"#, #"{"a":-}"#, #"{"a":1e}"#, #"{"a":1e400}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":nul"#,
        #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\ud800"}"#, #"{"a":"\ud800\u0041"}"#, #"{"a":"\udc00"}"#,
        "{\"a\":\"\n\"}", "{\"a\":\"\0\"}", "{\"a\":\"", "{\"a\":\"\\", "\u{FEFF}{}", #"{"a":1 "b":2}"#, #"{"a":"b""#,
        Self.nested(JSONObject.depthMax + 1), "{/**/}",
        #"{"n":1"# + String(repeating: "0", count: 309) + "}",
    ])
    func isNoObject(_ text: String) {
        #expect(!JSONObject.isObject(Array(text.utf8)))
    }

    /// Invalid UTF-8: stray, truncated and overlong sequences, a surrogate, and a value beyond the last character.
    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]]
    )
    func isNoText(_ bytes: [UInt8]) {
        #expect(!JSONObject.isObject(Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)))
        #expect(!JSONObject.isObject(Array(#"{"a":""#.utf8) + bytes))
    }
}
