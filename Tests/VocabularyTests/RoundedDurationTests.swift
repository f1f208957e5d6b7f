internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct RoundedDurationTests {
    @Test func waitsAreWholeMilliseconds() {
        #expect(Duration.nanoseconds(1_234_567_891).roundedToMilliseconds == .milliseconds(1235))
        #expect(Duration.nanoseconds(-1_499_999).roundedToMilliseconds == .milliseconds(-1))
        #expect("\(Duration.nanoseconds(59_999_600_000).roundedToMilliseconds)" == "60.0 seconds")
    }
}
