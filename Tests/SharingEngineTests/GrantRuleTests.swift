internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

struct GrantRuleTests {
    private func decide(
        _ request: Verified<Request>,
        _ precedents: PriorRecords = precedents(),
        now: WallTime = noon
    ) -> RequestLife.OnVerified {
        RequestLife.requestVerified(request, precedents: precedents, policy: SharingPolicy(), now: now)
    }

    @Test func validRequestIsAcceptedAndPushed() throws {
        guard case .accept(let life, _, let effects) = self.decide(try makeRequest()) else { throw FixtureError() }
        #expect(effects == [.sendPush, .announce(life.history[0])])
        #expect(life.state == .accepted(nextPush: after(5), giveUp: after(30)))
    }

    @Test func standingThatForbids() throws {
        let request = try makeRequest()
        #expect(self.decide(request, precedents(isRevoked: true)) == .refuse(.revoked))
        #expect(self.decide(request, precedents(isReplayed: true)) == .refuse(.replayed))
        #expect(self.decide(request, precedents(device: .unknown)) == .refuse(.unknownDevice))
        // The error for a missing device must not reveal whether the grant was revoked.
        #expect(self.decide(request, precedents(isRevoked: true, device: .unknown)) == .refuse(.unknownDevice))
    }

    @Test func windowOfTheGrantIsHalfOpen() throws {
        let early = try makeRequest(issued: after(-1), expires: after(100))
        #expect(self.decide(early, now: after(-1)) == .refuse(.notYetValid))
        let late = try makeRequest(issued: after(3599), expires: after(3700))
        #expect(self.decide(late, now: after(3600)) == .refuse(.grantExpired))
        guard case .accept = self.decide(late, now: after(3599)) else { throw FixtureError() }
    }

    /// Goal: outside of its hours a grant causes no push, and its requester gets the same reply as for any refusal.
    @Test func hoursOfTheGrantAreKept() throws {
        // Noon of the tests is eight o'clock, UTC.
        let hours = try hoursInUTC(479, 481)
        let request = try makeRequest(issued: after(-90), hours: hours)
        #expect(self.decide(request, now: after(60)) == .refuse(.outsideHours))
        guard case .accept = self.decide(request, now: after(59)) else { throw FixtureError() }
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

    @Test func grantLastsTenYearsAtMost() throws {
        let end = noon.advanced(by: SharingPolicy.grantLifetimeMax + SharingPolicy().clockSkewMax)
        guard case .accept = self.decide(try makeRequest(until: end)) else { throw FixtureError() }
        let long = try makeRequest(until: end.advanced(by: .milliseconds(1)))
        #expect(self.decide(long) == .refuse(.grantTooLong))
        #expect(self.decide(try makeRequest(until: WallTime(milliseconds: .max))) == .refuse(.grantTooLong))
    }

    private func paidUntil(_ decision: RequestLife.OnVerified) throws -> WallTime {
        guard case .accept(_, let payment, _) = decision else { throw FixtureError() }
        return payment.grant
    }

    @Test func intervalIsKeptToTheSecond() throws {
        let request = try makeRequest(interval: 60, expires: after(300))
        let paidUntil = try self.paidUntil(self.decide(request))
        #expect(paidUntil == after(60))
        #expect(self.decide(request, precedents(paidUntil: paidUntil), now: after(59)) == .tooSoon(until: after(60)))
        #expect(
            try self.paidUntil(self.decide(request, precedents(paidUntil: paidUntil), now: after(60))) == after(120)
        )
        // The clock was an hour ahead and was then set back; found by the simulator.
        let ahead = precedents(paidUntil: after(3660))
        #expect(try self.paidUntil(self.decide(request, ahead, now: after(60))) == after(120))
    }

    /// Goal: a requester whose grant has no interval can use at most a quarter of a device's pushes.
    @Test func grantWithoutAnIntervalHasAPaceAllTheSame() throws {
        var paidUntil: WallTime?
        for _ in 0..<30 { paidUntil = try self.paidUntil(self.decide(makeRequest(), precedents(paidUntil: paidUntil))) }
        let next = after(24 * 60)
        #expect(self.decide(try makeRequest(), precedents(paidUntil: paidUntil)) == .tooSoon(until: next))
        let later = try makeRequest(issued: next, expires: next.advanced(by: .seconds(60)))
        _ = try self.paidUntil(self.decide(later, precedents(paidUntil: paidUntil), now: next))
    }

    @Test func placesAreBoundedByGrantAndByDevice() throws {
        let request = try makeRequest()
        for (most, full) in [
            (precedents(pending: 15), precedents(pending: 16)),
            (precedents(pending: 3, pendingUnderGrant: 3), precedents(pending: 4, pendingUnderGrant: 4)),
            (precedents(kept: 255), precedents(kept: 256)),
            (precedents(otherGrantsInUse: 999), precedents(otherGrantsInUse: 1000)),
        ] {
            guard case .accept = self.decide(request, most) else { throw FixtureError() }
            #expect(self.decide(request, full) == .tooSoon(until: after(30)))
        }
    }

    /// Goal: the time of a refusal does not reveal the rule.
    @Test func refusalsAreToldInSteps() {
        for milliseconds in [0, 1, 2, 49, 50] {
            #expect(Refusal.moment(after: .milliseconds(milliseconds)) == .milliseconds(50))
        }
        #expect(Refusal.moment(after: .milliseconds(51)) == .milliseconds(100))
    }

    @Test func pausedDeviceIsUnreachableAndNotPushed() throws {
        guard case .accept(let life, _, let effects) = self.decide(try makeRequest(), precedents(device: .paused))
        else {
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
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(allowance: .zero) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(pushRetry: .zero) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(lifetimeMax: .zero) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(clockSkewMax: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(pendingPerSharerMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(revocationsPerSharerMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(pendingPerGrantMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(requestsPerSharerMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(grantsInUsePerSharerMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SharingPolicy(registrationLifetime: .zero) }
        await #expect(processExitsWith: .failure) { _ = Pace(interval: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = Pace(interval: .seconds(1), burst: 0) }
    }
}
