internal import Testing

@testable internal import WhereaboutsPushEngine

/// Tests for the only payload format that the relay forwards, and for similar ones.
@Suite struct SealedPayloadTests {
    private static func payload(_ sealed: String) -> String { #"{"aps":{},"whereabouts":{"sealed":"\#(sealed)"}}"# }

    @Test(arguments: ["AA", "AAA", "AAAA", "Zm9vYmFy", "-_-_", "Zg", "Zm8"]) func textOfBase64URLIsSealed(
        _ sealed: String
    ) {
        #expect(SealedPayload.isSealed(Array(Self.payload(sealed).utf8)))
    }

    /// The largest that a location push carries.
    @Test func theFormFillsAPush() {
        let text = Self.payload(String(repeating: "A", count: 4096 - Self.payload("").utf8.count - 2))
        #expect(text.utf8.count <= 4096 && SealedPayload.isSealed(Array(text.utf8)))
    }

    /// Unused bits, another alphabet, padding, impossible lengths, and escapes.
    @Test(arguments: ["", "A", "AAAAA", "AB", "AAB", "AA==", "AAA=", "A+/A", "AA A", "AA\\u0041A", "é", "AAAA\0"])
    func otherTextIsNotSealed(_ sealed: String) {
        #expect(!SealedPayload.isSealed(Array(Self.payload(sealed).utf8)))
    }

    @Test(arguments: [
        "", "{}", #"{"aps":{}}"#, #"{"whereabouts":{"sealed":"AAAA"}}"#, #"{"whereabouts":{"sealed":"AAAA"},"aps":{}}"#,
        #"{"aps":{"alert":"Alice"},"whereabouts":{"sealed":"AAAA"}}"#,
        #"{"aps":{},"whereabouts":{"sealed":"AAAA","who":"Alice"}}"#,
        #"{"aps":{},"whereabouts":{"sealed":"AAAA"},"who":"Alice"}"#,
        #"{"aps":{},"whereabouts":{"sealed":"AAAA"},"whereabouts":{"sealed":"AAAA"}}"#,
        #"{"aps": {},"whereabouts":{"sealed":"AAAA"}}"#, #"{"aps":{},"whereabouts":{"sealed":"AAAA"}} "#,
        #" {"aps":{},"whereabouts":{"sealed":"AAAA"}}"#, #"{"aps":{},"whereabouts":{"sealed":"AAAA"}"#,
        #"{"aps":{},"whereabouts":{"sealed":AAAA}}"#, #"{"aps":{},"whereabouts":{"request":"AAAA"}}"#,
    ]) func anotherFormIsNotSealed(_ text: String) {
        #expect(!SealedPayload.isSealed(Array(text.utf8)))
    }
}
