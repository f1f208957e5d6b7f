internal import SharingEngine
internal import Testing
internal import Vocabulary

/// The requests a device remembers.
struct SeenRequestsTests {
    /// Longer than a request of any id can be within its time: 10 min, and 2 min of skew.
    private static let kept = 720

    private func id(_ number: Int) -> RequestID { RequestID(high: 0, low: UInt64(number)) }

    private func received(_ seen: inout SeenRequests, _ number: Int, at seconds: Int) -> SeenRequests.OnReceived {
        seen.received(self.id(number), policy: SharingPolicy(), now: after(seconds))
    }

    @Test func requestIsTakenOnce() {
        var seen = SeenRequests()
        #expect(self.received(&seen, 1, at: 0) == .remember)
        #expect(self.received(&seen, 1, at: 0) == .replayed)
        #expect(self.received(&seen, 2, at: 1) == .remember)
        #expect(seen.entries.map(\.id) == [self.id(1), self.id(2)])
    }

    @Test func oldOnesAreForgotten() {
        var seen = SeenRequests()
        _ = self.received(&seen, 1, at: 0)
        _ = self.received(&seen, 2, at: Self.kept)
        #expect(seen.entries.count == 2)
        _ = self.received(&seen, 3, at: Self.kept + 1)
        #expect(seen.entries.map(\.id) == [self.id(2), self.id(3)])
    }

    /// Goal: a clock that was a year ahead does not fill the list for a year.
    @Test func onesFromAClockThatWasSetBackAreForgotten() {
        var seen = SeenRequests()
        _ = self.received(&seen, 1, at: 365 * 86_400)
        _ = self.received(&seen, 2, at: Self.kept)
        _ = self.received(&seen, 3, at: 0)
        #expect(seen.entries.map(\.id) == [self.id(2), self.id(3)])
    }

    @Test func theirNumberIsBounded() {
        var seen = SeenRequests()
        for number in 0..<SeenRequests.countMax { #expect(self.received(&seen, number, at: 0) == .remember) }
        #expect(self.received(&seen, SeenRequests.countMax, at: Self.kept) == .full)
        #expect(self.received(&seen, 0, at: Self.kept) == .replayed)
        #expect(seen.entries.count == SeenRequests.countMax)
        #expect(self.received(&seen, SeenRequests.countMax, at: Self.kept + 1) == .remember)
        #expect(seen.entries.count == 1)
    }

    @Test func whatIsRestoredIsWhatWasKept() {
        var seen = SeenRequests()
        _ = seen.received(self.id(1), policy: SharingPolicy(), now: WallTime(microseconds: 1_234_567))
        #expect(seen.entries == [.init(id: self.id(1), time: WallTime(milliseconds: 1234))])
        #expect(SeenRequests(restoring: seen.entries) == seen)
    }
}
