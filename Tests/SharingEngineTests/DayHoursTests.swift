internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the hours of a grant, by the sharer's local time.
struct DayHoursTests {
    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    private func zone(_ text: String) throws -> ZoneRule { try #require(ZoneRule(posix: text)) }

    private func hours(_ begin: UInt16, _ end: UInt16, _ zone: String = Self.berlin) throws -> DayHours {
        let zone = try self.zone(zone)
        return try #require(DayHours(from: begin * 60, to: end * 60, zone: zone))
    }

    /// Times and time zones as Python's `zoneinfo` computes them (2025b).
    @Test(arguments: [
        (berlin, 1_774_745_999, 1, 59), (berlin, 1_774_746_000, 3, 0), (berlin, 1_792_889_999, 2, 59),
        (berlin, 1_792_890_000, 2, 0), (berlin, 1_800_000_000, 9, 0), (berlin, 951_782_400, 1, 0),
        ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_199, 1, 59), ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_200, 3, 0),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_798_761_600, 11, 0), ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_782_864_000, 10, 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_782_864_000, 1, 0), ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_798_761_600, 0, 0),
        ("<+0545>-5:45", 0, 5, 45), ("<-03>3", 0, 21, 0), ("UTC0", -1, 23, 59),
        ("EET-2EEST,M4.5.5/0,M10.5.4/24", 1_777_021_200, 12, 0),
    ])
    func clocks(zone: String, seconds: Int, hour: Int, minute: Int) throws {
        let shown = try self.zone(zone).minuteOfDay(at: WallTime(seconds: Int64(seconds)))
        #expect(Int(shown) == hour * 60 + minute)
    }

    @Test(arguments: [
        "", "C-1", "CET", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J60,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-25", "CET-1:60",
        "<CET-1", "LMT-0:53:28",
        "CET-1CEST,M3.5.0,M10.5.0/3 ",
    ])
    func textThatIsNoZone(text: String) {
        #expect(ZoneRule(posix: text) == nil)
    }

    @Test func hoursAreHalfOpenAndGoOverMidnight() throws {
        let noonInUTC = WallTime(seconds: 12 * 3600)
        #expect(try self.hours(12, 13, "UTC0").contains(noonInUTC))
        #expect(try !self.hours(11, 12, "UTC0").contains(noonInUTC))
        let night = try self.hours(22, 6, "UTC0")
        #expect((0..<24).filter { night.contains(WallTime(seconds: Int64($0) * 3600)) } == [0, 1, 2, 3, 4, 5, 22, 23])
        #expect(
            try (0..<24).filter { try self.hours(18, 0, "UTC0").contains(WallTime(seconds: Int64($0) * 3600)) }
                == Array(18..<24)
        )
    }

    @Test func noHoursAreNone() throws {
        let zone = try self.zone("UTC0")
        #expect(DayHours(from: 60, to: 60, zone: zone) == nil)
        #expect(DayHours(from: 1440, to: 60, zone: zone) == nil)
        #expect(DayHours(from: 0, to: 1440, zone: zone) == nil)
    }

    /// Goal: on the two days on which clocks are set, a grant's hours follow the local clock.
    ///
    /// Method: Berlin, with the skipped hour of 2026-03-29 and the repeated hour of 2026-10-25, for each second of a
    /// minute.
    @Test func anHourThatIsSkippedIsNotThereAndOneThatIsRepeatedCountsTwice() throws {
        let hours = try self.hours(2, 3)
        func minutes(from begin: Int64) -> Int {
            (0..<1440).count { hours.contains(WallTime(seconds: begin + Int64($0) * 60)) }
        }
        #expect(minutes(from: 1_774_656_000) == 60)
        #expect(minutes(from: 1_774_742_400) == 0)
        #expect(minutes(from: 1_792_879_200) == 120)
    }

    @Test func openingIsTheFirstMomentOfTheHours() throws {
        let hours = try self.hours(9, 17)
        // 09:00 in Berlin is 08:00 UTC in winter, and 07:00 after the clocks were set forward.
        #expect(hours.opening(from: WallTime(seconds: 1_774_684_799)) == WallTime(seconds: 1_774_684_800))
        #expect(hours.opening(from: WallTime(seconds: 1_774_684_801)) == WallTime(seconds: 1_774_684_801))
        #expect(hours.opening(from: WallTime(seconds: 1_774_713_600)) == WallTime(seconds: 1_774_767_600))
        // The skipped hour comes back the next day.
        #expect(
            try self.hours(2, 3).opening(from: WallTime(seconds: 1_774_742_400)) == WallTime(seconds: 1_774_828_800)
        )
    }

    @Test func anyMomentHasAClock() throws {
        for zone in [Self.berlin, "AEST-10AEDT,M10.1.0,M4.1.0/3", "UTC0"] {
            for time in [Int64.min, -1, 0, .max] {
                let hours = try self.hours(1, 2, zone)
                #expect(try self.zone(zone).minuteOfDay(at: WallTime(microseconds: time)) < 1440)
                _ = hours.opening(from: WallTime(microseconds: time))
            }
        }
    }
}
