internal import Testing
internal import WhereaboutsAPNS

@Suite struct ChannelIDTests {
    @Test func anIDOfBase64IsKept() {
        for text in ["dHN0LXNyY2gtY2hubA==", "a", "+/09", String(repeating: "A", count: 1000)] {
            #expect(ChannelID(text)?.text == text)
        }
    }

    /// Goal: a channel ID cannot contain characters that end its header or its place in a list.
    @Test(arguments: ["", " ", "a b", "a\r\nb", "a,b", "ä", "a\0"]) func otherTextsAreNone(text: String) {
        #expect(ChannelID(text) == nil)
    }
}
