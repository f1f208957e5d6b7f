internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Tests for ended processes whose parents left them to the device to collect.
struct OrphanLimitTests {
    private let app = BundleID("com.example.app")
    private let other = BundleID("com.example.other")
    private let start = EngineInstant(sinceStart: .zero)

    /// Leaves processes behind.
    ///
    /// - Returns: how many times the app had to be ended for this.
    private func leave(
        _ count: Int,
        of bundle: BundleID,
        to limit: inout OrphanLimit,
        isRunning: Bool = true,
        at second: Int = 0
    ) -> Int {
        let now = self.start.advanced(by: .seconds(second))
        return (0..<count).count { _ in limit.orphanEnded(of: bundle, isRunning: isRunning, now: now) == .endApp }
    }

    @Test func anAppIsEndedBeyondItsAllowanceAndNoOther() {
        var limit = OrphanLimit()
        #expect(self.leave(OrphanLimit.burst, of: self.app, to: &limit) == 0)
        // Each second allows ten more.
        #expect(self.leave(10, of: self.app, to: &limit, at: 1) == 0)
        #expect(self.leave(1, of: self.app, to: &limit, at: 1) == 1)
        #expect(self.leave(OrphanLimit.burst, of: self.other, to: &limit, at: 1) == 0)
    }

    @Test func anAppIsEndedOnceAndItsNextRunStartsAgain() {
        var limit = OrphanLimit()
        #expect(self.leave(OrphanLimit.burst * 3, of: self.app, to: &limit) == 1)
        limit.processStarted(of: self.app)
        #expect(self.leave(OrphanLimit.burst, of: self.app, to: &limit) == 0)
        // Another process of the app, such as its extension, does not start with a new allowance.
        limit.processStarted(of: self.app)
        #expect(self.leave(1, of: self.app, to: &limit) == 1)
    }

    /// Goal: an app that ended after leaving many processes may leave some after its next start.
    @Test func aRunIsNotToBlameForTheOneBefore() {
        var limit = OrphanLimit()
        #expect(self.leave(OrphanLimit.burst * 3, of: self.app, to: &limit, isRunning: false) == 0)
        limit.processStarted(of: self.app)
        #expect(self.leave(OrphanLimit.burst, of: self.app, to: &limit) == 0)
    }
}
