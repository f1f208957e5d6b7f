internal import Foundation
internal import Testing

@testable import WhereaboutsLocationSources

@Suite struct UTCTimeTests {
    /// Goal: our calendar equals Foundation's.
    ///
    /// Method: every fifth day from 1970 to 2099, both ways.
    @Test func calendarIsFoundations() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: 0, to: 47_482, by: 5) {
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(day) * 86_400)
            )
            let (year, month, dayOfMonth) = try (
                #require(parts.year), #require(parts.month), #require(parts.day)
            )
            #expect(UTCTime.days(year: year, month: month, day: dayOfMonth) == day)
            let civil = UTCTime.civil(milliseconds: day * 86_400_000 + 86_399_999)
            #expect(civil == (year, month, dayOfMonth, 86_399_999))
        }
    }

    @Test(arguments: [
        "", "2026-05-17", "2026-05-17T09:00:00", "2026-13-17T09:00:00Z", "2026-02-29T09:00:00Z", "2026-05-17T24:00:00Z",
        "2026-05-17T09:60:00Z", "2026-05-17T09:00:61Z", "2026-05-17T09:00:-1Z", "2026-05-17 09:00:00Z",
        "2026-05-17T09:00:0xZ", "2026-05-17T09:00:00+01:00", "٢026-05-17T09:00:00Z",
    ])
    func otherFormsAreRefused(text: String) {
        #expect(UTCTime.seconds(iso8601: text) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2016-12-31T23:59:60Z", 1_483_228_800),
        ("2026-05-17T09:00:00.25Z", 1_779_008_400.25),
    ])
    func gpsdsFormIsRead(text: String, seconds: Double) {
        #expect(UTCTime.seconds(iso8601: text) == seconds)
    }
}
