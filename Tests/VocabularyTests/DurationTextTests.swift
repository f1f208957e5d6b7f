internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct DurationTextTests {
    @Test func durationsAreReadWithTheirUnits() {
        let durations: [(String, Duration)] = [
            ("0s", .zero), ("90s", .seconds(90)), ("0.5s", .milliseconds(500)), ("30m", .seconds(1800)),
            ("1.1h", .seconds(3960)), ("7d", .seconds(604_800)),
        ]
        for (text, duration) in durations { #expect(Duration(text: text) == duration, "\(text)") }
    }

    @Test(arguments: [
        "", "s", "7", "7w", "-1s", "+1s", " 1s", "1 s", "1e3s", "nans", "infs", "0x1s", "1.2.3s", "99999999999d",
    ])
    func otherTextsAreNoDuration(_ text: String) {
        #expect(Duration(text: text) == nil)
    }
}
