internal import Testing
internal import WhereaboutsAPNS

@Suite struct PushTypeTests {
    @Test func everyTypeMatchesItsOwnTopic() {
        for type in PushType.allCases {
            #expect(type.matches(topic: type.topic(bundleIdentifier: "org.example.app")), "\(type)")
        }
    }

    @Test func aSuffixedTopicMatchesOneTypeOnly() {
        for type in PushType.allCases where !type.topicSuffix.isEmpty {
            let topic = type.topic(bundleIdentifier: "org.example.app")
            #expect(PushType.allCases.filter { $0.matches(topic: topic) } == [type])
            #expect(PushType.suffixed(topic: topic) == type)
        }
    }

    @Test func aSuffixAloneIsNoTopic() {
        #expect(!PushType.location.matches(topic: ".location-query"))
        #expect(!PushType.alert.matches(topic: ""))
    }

    @Test func onlyBackgroundAtTenIsForbidden() {
        for type in PushType.allCases {
            for priority in Priority.allCases {
                #expect(type.allows(priority) == !(type == .background && priority == .immediate))
            }
        }
    }

    @Test func onlyCallsMayBeLarger() {
        #expect(PushType.voip.payloadBytesMax == 5120)
        #expect(PushType.allCases.filter { $0.payloadBytesMax != 4096 } == [.voip])
    }
}
