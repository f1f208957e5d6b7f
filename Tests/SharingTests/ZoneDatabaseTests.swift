internal import Foundation
internal import Testing
internal import WhereaboutsSharing

/// Tests for reading the system's time-zone database.
struct ZoneDatabaseTests {
    @Test func zonesAreReadByName() throws {
        #expect(try ZoneRule.named("Europe/Berlin") == ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(try ZoneRule.named("Asia/Kathmandu") == ZoneRule(offset: 345))
        #expect(try ZoneRule.named("Etc/GMT+5") == ZoneRule(offset: -300))
    }

    @Test(arguments: [
        "", "Europe", "Europe/Bern1", "/etc/passwd", "../../../etc/passwd", "Europe/../UTC", "tzdata.zi",
        "Europe//Berlin",
    ])
    func namesThatAreNoZoneAreRefused(name: String) {
        #expect(throws: SharingError(.badText, "")) { try ZoneRule.named(name) }
    }

    /// Goal: without a zone, the terms use the zone in which the device's clock is shown.
    @Test func thisComputersZoneIsFound() throws {
        let now = Date.now
        let components = Calendar(identifier: .gregorian).dateComponents(in: .current, from: now)
        let shown = try ZoneRule.here().minuteOfDay(at: WallTime(timeIntervalSince1970: now.timeIntervalSince1970))
        #expect(Int(shown) == (components.hour ?? -1) * 60 + (components.minute ?? -1))
    }
}
