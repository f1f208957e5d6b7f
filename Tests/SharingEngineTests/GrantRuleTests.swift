internal import SharingEngine
internal import Testing
internal import Vocabulary

struct GrantRuleTests {
    private func decide(
        _ request: Verified<Request>,
        _ standing: Standing = standing(),
        now: WallTime = noon
    ) -> RequestLife.OnVerified {
        RequestLife.requestVerified(request, standing: standing, policy: Policy(), now: now)
    }

    @Test func validRequestIsAcceptedAndPushed() throws {
        guard case .accept(let life, let effects) = self.decide(try makeRequest()) else { throw FixtureError() }
        #expect(effects == [.sendPush, .announce(life.history[0])])
        #expect(life.state == .accepted(nextPush: after(5), giveUp: after(30)))
    }

    @Test func standingThatForbids() throws {
        let request = try makeRequest()
        #expect(self.decide(request, standing(isRevoked: true)) == .refuse(.revoked))
        #expect(self.decide(request, standing(isReplayed: true)) == .refuse(.replayed))
        #expect(self.decide(request, standing(device: .unknown)) == .refuse(.unknownDevice))
    }

    @Test func windowOfTheGrantIsHalfOpen() throws {
        let early = try makeRequest(issued: after(-1), expires: after(100))
        #expect(self.decide(early, now: after(-1)) == .refuse(.notYetValid))
        let late = try makeRequest(issued: after(3599), expires: after(3700))
        #expect(self.decide(late, now: after(3600)) == .refuse(.grantExpired))
        guard case .accept = self.decide(late, now: after(3599)) else { throw FixtureError() }
    }

    @Test func requestMustBeFresh() throws {
        #expect(self.decide(try makeRequest(), now: after(120)) == .refuse(.requestExpired))
        let ahead = try makeRequest(issued: after(121), expires: after(200))
        #expect(self.decide(ahead) == .refuse(.issuedInTheFuture))
        let skewed = try makeRequest(issued: after(120), expires: after(200))
        guard case .accept = self.decide(skewed) else { throw FixtureError() }
        #expect(self.decide(try makeRequest(expires: after(601))) == .refuse(.lifetimeTooLong))
        guard case .accept = self.decide(try makeRequest(expires: after(600))) else { throw FixtureError() }
    }

    @Test func precisionIsAtMostTheGranted() throws {
        #expect(self.decide(try makeRequest(precision: .full, granted: .reduced)) == .refuse(.precisionNotGranted))
        guard case .accept = self.decide(try makeRequest(precision: .reduced, granted: .full)) else {
            throw FixtureError()
        }
    }

    @Test func intervalIsKeptToTheSecond() throws {
        let request = try makeRequest(interval: 60, expires: after(300))
        #expect(self.decide(request, standing(lastAccepted: noon), now: after(59)) == .tooSoon(until: after(60)))
        guard case .accept = self.decide(request, standing(lastAccepted: noon), now: after(60)) else {
            throw FixtureError()
        }
        // By a clock that was an hour ahead and was set back since; found by the simulator.
        guard case .accept = self.decide(request, standing(lastAccepted: after(3600)), now: after(60)) else {
            Issue.record("a request in the future must not hold up all until then")
            return
        }
    }

    @Test func pendingRequestsAreBounded() throws {
        let request = try makeRequest()
        guard case .accept = self.decide(request, standing(pendingCount: 15)) else { throw FixtureError() }
        #expect(self.decide(request, standing(pendingCount: 16)) == .tooSoon(until: after(30)))
    }

    @Test func pausedDeviceIsUnreachableAndNotPushed() throws {
        guard case .accept(let life, let effects) = self.decide(try makeRequest(), standing(device: .paused)) else {
            throw FixtureError()
        }
        #expect(life.history.map(\.kind) == [.accepted, .unreachable])
        #expect(!effects.contains(.sendPush))
        #expect(life.deadline == nil)
    }

    @Test(arguments: Refusal.allCases)
    func everyRefusalHasAReason(refusal: Refusal) {
        #expect(refusal.reason.hasSuffix("."))
        #expect(refusal.reason.contains(";"))
    }

    @Test func policyRejectsNonsense() async {
        await #expect(processExitsWith: .failure) { _ = Policy(allowance: .zero) }
        await #expect(processExitsWith: .failure) { _ = Policy(pushRetry: .zero) }
        await #expect(processExitsWith: .failure) { _ = Policy(lifetimeMax: .zero) }
        await #expect(processExitsWith: .failure) { _ = Policy(clockSkewMax: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = Policy(pendingPerDeviceMax: 0) }
        await #expect(processExitsWith: .failure) { _ = Policy(revocationsPerSharerMax: 0) }
    }
}
