internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@Suite struct PushBudgetTests {
    private func instant(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }
    private let app = BundleID("a")

    @Test func theLastPushClosesAndTenBackReopen() throws {
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        for _ in 0..<119 {
            #expect(budget.pushReceived(for: self.app, among: 1, now: self.instant(10)) == .accept)
        }
        #expect(budget.pushReceived(for: self.app, among: 1, now: self.instant(10)) == .acceptAndClose)
        #expect(budget.pushReceived(for: self.app, among: 1, now: self.instant(10)) == .refuse)
        let deadline = try #require(budget.deadline)
        #expect(deadline == self.instant(10 + 3600))
        #expect(budget.deadlineReached(now: self.instant(10 + 3599)).hasReopened == false)
        let reopened = budget.deadlineReached(now: deadline)
        #expect(reopened.hasReopened)
        #expect(reopened.reopenedApps == [self.app])
        #expect(budget.pushReceived(for: self.app, among: 1, now: deadline) == .accept)
    }

    @Test func whoFloodsUsesUpAShareAndNoMore() {
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        let flood = BundleID("flood")
        // 60 outside the reserve, and half of the 60 in it.
        for number in 1...90 {
            let expected: PushBudget.OnPush = number == 90 ? .acceptAndCloseApp : .accept
            #expect(budget.pushReceived(for: flood, among: 2, now: self.instant(1)) == expected)
        }
        #expect(budget.pushReceived(for: flood, among: 2, now: self.instant(1)) == .refuseApp)
        #expect(!budget.isOpen(for: flood))
        #expect(budget.isOpen(for: self.app))
        for number in 1...30 {
            let expected: PushBudget.OnPush = number == 30 ? .acceptAndClose : .accept
            #expect(budget.pushReceived(for: self.app, among: 2, now: self.instant(1)) == expected)
        }
    }

    @Test func aShareComesBackInAnHourOrWhenTheReserveIsFull() throws {
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        for _ in 0..<90 { _ = budget.pushReceived(for: self.app, among: 2, now: self.instant(0)) }
        #expect(budget.deadline == self.instant(3600))
        #expect(budget.deadlineReached(now: self.instant(3600)).reopenedApps == [self.app])
        // Five pushes were restored, so five more are accepted.
        for number in 1...5 {
            let expected: PushBudget.OnPush = number == 5 ? .acceptAndCloseApp : .accept
            #expect(budget.pushReceived(for: self.app, among: 2, now: self.instant(3600)) == expected)
        }
        #expect(!budget.isOpen(for: self.app))
        #expect(budget.deadlineReached(now: self.instant(4 * 3600)).reopenedApps == [self.app])
    }

    /// Goal: no 24 h contain more than 360 accepted pushes, and no app waits forever.
    ///
    /// Method: four weeks with a seed. Each of up to five apps receives pushes at a rate that changes every day between
    /// a flood and silence. One app receives three an hour, less than a fifth of the restored pushes.
    @Test(arguments: 0..<10)
    func weeksOfPushesStayWithinTheAllotmentAndAreShared(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        let count = 2 + seed % 4
        let modest = BundleID("modest")
        let apps = [modest] + (1..<count).map { BundleID("app\($0)") }
        let modestPace = 3600 * count / 8
        var accepted: [Int] = []
        var byApp: [BundleID: [Int]] = [:]
        var next = Array(repeating: 0, count: count)
        var pace = Array(repeating: modestPace, count: count)
        var now = 0
        while now < 28 * 86400 {
            for (index, app) in apps.enumerated() where next[index] <= now {
                _ = budget.deadlineReached(now: self.instant(now))
                // The topic of an app that has to wait is unregistered, so no push arrives.
                if budget.isOpen(for: app) {
                    let outcome = budget.pushReceived(for: app, among: count, now: self.instant(now))
                    #expect(outcome != .refuse && outcome != .refuseApp)
                    accepted.append(now)
                    byApp[app, default: []].append(now)
                } else {
                    #expect(app != modest, "the modest app had to wait at \(now)")
                }
                if app != modest, now / 86400 != next[index] / 86400 || next[index] == 0 {
                    pace[index] = [5, 60, 600, 7200].randomElement(using: &generator) ?? 60
                }
                next[index] = now + max(1, pace[index] + (app == modest ? 0 : Int.random(in: 0...9, using: &generator)))
            }
            now = next.min() ?? now + 1
        }
        var first = 0
        for (index, time) in accepted.enumerated() {
            while accepted[first] <= time - 86400 { first += 1 }
            #expect(index - first + 1 <= 360)
        }
        // No app waits forever: it is served again within the time in which the whole budget is restored.
        for app in apps {
            let times = byApp[app] ?? []
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 12 * 3600 }, "\(app) starved")
            #expect(times.count > 28)
        }
    }

    @Test func aClockThatStandsStillGivesNothingBack() {
        var budget = PushBudget(policy: Policy(), now: self.instant(100))
        for _ in 0..<120 { _ = budget.pushReceived(for: self.app, among: 1, now: self.instant(50)) }
        #expect(budget.pushReceived(for: self.app, among: 1, now: self.instant(50)) == .refuse)
    }
}
