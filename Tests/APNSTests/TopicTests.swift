internal import Testing
internal import WhereaboutsAPNS

@Suite struct TopicTests {
    @Test(arguments: [
        ("com.example.FindFriends.location-query", true), ("a", true), ("A_9-.", true),
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false), ("", false),
        ("a\0b", false), ("a\r\nb", false), ("a\nb", false), ("a b", false), ("ä", false), ("a\u{301}", false),
        ("a/b", false), ("a:b", false), ("a\u{7F}", false), ("\u{200B}a", false), ("a\t", false),
    ])
    func aTopicIsMadeOfBytesThatMeanNothingElsewhere(_ text: String, _ isTopic: Bool) {
        #expect(Topic.isTopic(text) == isTopic)
    }

    @Test func aBundleIdentifierIsShorter() {
        #expect(Topic.isBundleIdentifier(String(repeating: "a", count: 155)))
        #expect(!Topic.isBundleIdentifier(String(repeating: "a", count: 156)))
        #expect(!Topic.isBundleIdentifier(""))
        #expect(!Topic.isBundleIdentifier("a\nb"))
    }
}
