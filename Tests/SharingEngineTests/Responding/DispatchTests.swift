import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

@Suite struct DispatchTests {
    @Test func alertsTheNearestCellsFirst() {
        var fixture = DispatchFixture()
        fixture.enroll(1...4)
        fixture.enroll(11...20, row: 1)
        fixture.enroll(21...30, row: 4)
        let chosen = fixture.open().alerts.map(\.volunteer)
        #expect(chosen.count == 7)
        #expect(Set(chosen.prefix(4)) == [1, 2, 3, 4])
        #expect(chosen.dropFirst(4).allSatisfy { (11...20).contains($0) })
    }

    @Test func replacesARefusalAtOnceAndASilenceAfterAWhile() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...20)
        let first = fixture.open().alerts
        let second = fixture.answer(try #require(first.first), .refused).alerts
        #expect(second.count == 1)
        #expect(first.allSatisfy { $0.volunteer != second.first?.volunteer })
        #expect(fixture.wait(.seconds(19)).isEmpty)
        #expect(fixture.wait(.seconds(1)).alerts.count == 7)
        // An answer outside the person's range, and a push that failed, are replaced, too.
        #expect(fixture.answer(try #require(first.last), .outOfRange).alerts.isEmpty)
        let open = try #require(second.first)
        #expect(fixture.give(.pushFailed(open.id)).isEmpty)
    }

    @Test func replacesAFailedPush() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...8)
        let alert = try #require(fixture.open().alerts.first)
        let effects = fixture.give(.pushFailed(alert.id))
        #expect(effects.stoodDown(.undelivered) == [alert.volunteer])
        #expect(effects.alerts.count == 1)
    }

    @Test func nobodyIsWokenBeforeTheDispatcherSealsThePosition() throws {
        var fixture = DispatchFixture()
        fixture.isSealing = false
        fixture.enroll(1...20)
        let effects = fixture.open()
        let chosen = effects.chosen
        #expect(chosen.count == 7 && effects.alerts.isEmpty)
        let first = try #require(chosen.first)
        #expect(fixture.answer((first.id, first.volunteer.low), .refused) == [.refuse(.unknownAlert)])
        #expect(fixture.seal(first, by: DispatcherID(high: 2, low: 2)) == [.refuse(.unknownAlert)])
        var other = first
        other.role = .defibrillator
        #expect(fixture.seal(other) == [.refuse(.unknownAlert)])
        #expect(
            fixture.seal(first) == [
                .alert(first.id, first.volunteer, first.incident, .patient),
                .show(first.incident, first.id, .alerted),
            ]
        )
        #expect(fixture.seal(first) == [.refuse(.outOfOrder)], "one push for each alert")
        #expect(fixture.wait(.seconds(9)).isEmpty)
        let late = fixture.wait(.seconds(1))
        #expect(late.filter { if case .standDown = $0 { true } else { false } }.isEmpty, "they know nothing")
        for alert in chosen.dropFirst() { #expect(late.contains(.showEnd(alert.incident, alert.id, .undelivered))) }
        #expect(late.chosen.count == 6, "the first one still has time to answer")
        #expect(fixture.seal(chosen[1]) == [.refuse(.unknownAlert)], "too late")
        // Only the first one was woken; that phone has 20 s from the push on.
        #expect(fixture.wait(.seconds(10)).contains(.show(first.incident, first.id, .silent)))
    }

    @Test func aChosenVolunteerWithoutAPhoneIsReplaced() throws {
        var fixture = DispatchFixture()
        fixture.isSealing = false
        fixture.enroll(1...8)
        let alert = try #require(fixture.open().chosen.first)
        let effects = fixture.give(.pushFailed(alert.id))
        #expect(effects.first == .showEnd(alert.incident, alert.id, .undelivered))
        #expect(effects.chosen.count == 1 && effects.count == 2)
    }

    @Test func widensTheRingWhenItIsEmptyAndAfterEachPhase() {
        var fixture = DispatchFixture()
        fixture.enroll(1...7)
        fixture.enroll(11...40, row: 2)
        #expect(fixture.open().alerts.map(\.volunteer).sorted() == [1, 2, 3, 4, 5, 6, 7])
        #expect(fixture.wait(.seconds(20)).alerts.count == 10)
        var far = DispatchFixture()
        far.enroll(1...3, row: 4)
        let effects = far.open()
        #expect(effects.alerts.count == 3)
        #expect(effects.contains(.showExhausted(DispatchFixture.incident(1))))
        far.enroll(4...4, row: 6)
        #expect(far.wait(.seconds(3599)).alerts.isEmpty, "6 km is outside the last ring")
    }

    @Test func standsDownTheOthersWhenEnoughPeopleCome() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...7)
        let alerts = fixture.open(responders: 2).alerts
        for alert in alerts { _ = fixture.answer(alert, .band(.within6)) }
        #expect(fixture.answer(alerts[0], .accepted(sealed: [9]), number: 2).stoodDown(.enough).isEmpty)
        let effects = fixture.answer(alerts[1], .accepted(sealed: [8]), number: 2)
        #expect(effects.contains(.reveal(DispatchFixture.incident(1), alerts[1].id, sealed: [8])))
        #expect(effects.stoodDown(.enough) == alerts.dropFirst(2).map(\.volunteer).sorted())
        #expect(fixture.answer(alerts[3], .accepted(sealed: [7]), number: 2) == [.refuse(.unknownAlert)])
    }

    @Test func searchesAgainAfterAWithdrawal() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...10)
        let alert = try #require(fixture.open().alerts.first)
        _ = fixture.answer(alert, .accepted(sealed: []))
        _ = fixture.wait(.seconds(20))
        #expect(fixture.answer(alert, .withdrawn, number: 2).alerts.count == 3, "seven of ten were asked before")
    }

    @Test func alertsSomebodyForTheDefibrillator() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...3)
        fixture.enroll(4...5, skills: [.aed])
        let effects = fixture.open(needsAED: true)
        let fetching = effects.compactMap { effect -> UInt64? in
            guard case .alert(_, let volunteer, _, .defibrillator) = effect else { return nil }
            return volunteer.low
        }
        #expect(fetching.sorted() == [4, 5])
        let fetcher = try #require(effects.alerts.first { $0.volunteer == 4 })
        #expect(fixture.answer(fetcher, .accepted(sealed: [])).stoodDown(.enough).isEmpty, "5 may be nearer")
        #expect(fixture.wait(.seconds(20)).stoodDown(.enough) == [5])
    }

    @Test func aPersonWhoIsNotNeededAtThePatientMayFetchTheDefibrillator() {
        var fixture = DispatchFixture()
        fixture.enroll(1...2, skills: [.cpr, .aed])
        let alerts = fixture.open(needsAED: true).alerts
        #expect(alerts.count == 2)
        for alert in alerts { _ = fixture.answer(alert, .band(.within6)) }
        let effects = fixture.answer(alerts[0], .accepted(sealed: []), number: 2)
        #expect(effects.stoodDown(.enough) == [alerts[1].volunteer])
        #expect(effects.chosen.map(\.role) == [.defibrillator])
        #expect(effects.chosen.map(\.volunteer.low) == [alerts[1].volunteer])
    }

    @Test func aPersonWhoIsAlertedAgainCountsAgain() throws {
        var policy = DispatchPolicy()
        policy.alertsMax = 2
        var fixture = DispatchFixture(policy)
        fixture.enroll(1...2, skills: [.cpr, .aed])
        let alert = try #require(fixture.open(needsAED: true).alerts.first)
        let effects = fixture.answer(alert, .accepted(sealed: [])) + fixture.wait(.seconds(20))
        #expect(effects.stoodDown(.enough).count == 1 && effects.chosen.isEmpty)
    }

    @Test func aNewVolunteerComesToTheMostUrgentIncidentWithoutOne() {
        var fixture = DispatchFixture()
        fixture.isSealing = false
        #expect(fixture.open(1, priority: .help).chosen.isEmpty)
        #expect(fixture.open(2, priority: .arrest).chosen.isEmpty)
        let cell = DispatchFixture.home
        let volunteer = Volunteer(id: VolunteerID(high: 0, low: 1), cells: [cell], hours: nil, skills: .cpr, reach: 1)
        #expect(volunteer.map { fixture.give(.enrolled($0)).chosen.map(\.incident) } == [DispatchFixture.incident(2)])
    }

    @Test(arguments: [true, false]) func theEndReachesEveryOpenAlert(isFalseAlarm: Bool) {
        var fixture = DispatchFixture()
        fixture.enroll(1...7)
        let alerts = fixture.open(responders: 3).alerts
        _ = fixture.answer(alerts[0], .accepted(sealed: []))
        _ = fixture.answer(alerts[1], .refused)
        _ = fixture.wait(.seconds(25))
        let id = DispatchFixture.incident(1)
        let close = Dispatch.Input.closed(id, by: DispatchFixture.dispatcher.id, isFalseAlarm: isFalseAlarm)
        #expect(
            fixture.give(.closed(id, by: DispatcherID(high: 2, low: 2), isFalseAlarm: false)) == [
                .refuse(.unknownIncident)
            ]
        )
        let effects = fixture.give(close)
        let end: IncidentEnd = isFalseAlarm ? .cancelled : .stoodDown
        #expect(effects.stoodDown(.incident(end)) == (1...7).filter { $0 != alerts[1].volunteer })
        #expect(effects.last == .end(id, end))
        #expect(fixture.give(close) == [.refuse(.unknownIncident)])
        #expect(fixture.dispatch.deadline == nil)
    }

    @Test func anIncidentExpires() {
        var fixture = DispatchFixture()
        fixture.enroll(1...2)
        _ = fixture.open()
        #expect(fixture.wait(.seconds(3600)).stoodDown(.incident(.expired)) == [1, 2])
        #expect(fixture.dispatch.incidentsCount == 0)
    }

    @Test func aLateAcceptanceCountsWhileHelpIsNeeded() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...1)
        let alert = try #require(fixture.open().alerts.first)
        #expect(fixture.wait(.seconds(20)).contains(.show(DispatchFixture.incident(1), alert.id, .silent)))
        #expect(
            fixture.answer(alert, .accepted(sealed: [5])).contains(
                .reveal(DispatchFixture.incident(1), alert.id, sealed: [5])
            )
        )
    }

    @Test func refusesWrongAnswers() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...2)
        let alert = try #require(fixture.open().alerts.first)
        #expect(fixture.answer((alert.id, 3 - alert.volunteer), .refused) == [.refuse(.unknownAlert)])
        for wrong in [Responder.Answer.enRoute(sealed: [1]), .arrived, .withdrawn] {
            #expect(fixture.answer(alert, wrong) == [.refuse(.outOfOrder)])
        }
        let tooLong = [UInt8](repeating: 0, count: Responder.sealedBytesMax + 1)
        #expect(fixture.answer(alert, .accepted(sealed: tooLong)) == [.refuse(.tooLong)])
        #expect(
            fixture.answer(alert, .band(.within6), number: 3).contains(
                .show(DispatchFixture.incident(1), alert.id, .band(.within6))
            )
        )
        #expect(fixture.answer(alert, .accepted(sealed: []), number: 3) == [.refuse(.replayed)])
        #expect(fixture.answer(alert, .band(.within3), number: 4) == [.refuse(.outOfOrder)])
        #expect(!fixture.answer(alert, .accepted(sealed: []), number: 5).contains(.refuse(.replayed)))
        let arrival = fixture.answer(alert, .arrived, number: 6)
        #expect(arrival.first == .show(DispatchFixture.incident(1), alert.id, .arrived))
    }

    @Test func refusesForeignOldAndRepeatedIncidents() {
        var fixture = DispatchFixture()
        let far = Grid.Cell(row: DispatchFixture.home.row + 51, column: DispatchFixture.home.column)
        #expect(fixture.open(at: far) == [.refuse(.outsideArea)])
        #expect(fixture.open(age: .seconds(121)) == [.refuse(.stale)])
        #expect(fixture.open(age: .seconds(-121)) == [.refuse(.stale)])
        #expect(!fixture.open().contains(.refuse(.replayed)))
        #expect(fixture.open() == [.refuse(.replayed)])
        _ = fixture.give(.closed(DispatchFixture.incident(1), by: DispatchFixture.dispatcher.id, isFalseAlarm: true))
        #expect(fixture.open() == [.refuse(.replayed)])
    }

    @Test func boundsTheWakesOfADay() {
        var fixture = DispatchFixture()
        fixture.enroll(1...1)
        for number in 1...4 as ClosedRange<UInt64> {
            #expect(fixture.open(number).alerts.count == (number <= 3 ? 1 : 0))
            _ = fixture.give(
                .closed(DispatchFixture.incident(number), by: DispatchFixture.dispatcher.id, isFalseAlarm: false)
            )
            // A changed enrolment does not forget the wakes.
            fixture.enroll(1...1)
        }
        _ = fixture.wait(.seconds(86_399))
        #expect(fixture.open(5).alerts.isEmpty)
        #expect(fixture.wait(.seconds(1)).alerts.isEmpty, "the next phase looks again")
        #expect(fixture.wait(.seconds(60)).alerts.count == 1)
    }

    @Test func respectsHoursReachAndOneAlertAtATime() throws {
        var fixture = DispatchFixture()
        let zone = try #require(ZoneRule(posix: "UTC0"))
        // 2027-01-15 08:00 UTC.
        fixture.enroll(1...1, hours: DayHours(from: 480, to: 500, zone: zone))
        fixture.enroll(2...2, hours: DayHours(from: 500, to: 480, zone: zone))
        fixture.enroll(3...3, row: 2, reach: 999)
        fixture.enroll(4...4, row: 2, reach: 1000)
        #expect(fixture.open().alerts.map(\.volunteer) == [1, 4])
        #expect(fixture.open(2).alerts.isEmpty)
    }

    @Test func aVolunteerWhoLeavesIsReplacedAndGetsNothing() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...8)
        let alert = try #require(fixture.open().alerts.first)
        let effects = fixture.give(.left(VolunteerID(high: 0, low: alert.volunteer)))
        #expect(effects.alerts.count == 1)
        #expect(effects.contains(.showEnd(DispatchFixture.incident(1), alert.id, .byVolunteer)))
        #expect(fixture.dispatch.volunteersCount == 7)
        #expect(fixture.answer(alert, .accepted(sealed: [])) == [.refuse(.unknownAlert)])
    }

    @Test func aThousandIncidentsAreBoundedByPriority() throws {
        var fixture = DispatchFixture()
        fixture.enroll(1...1)
        let taken = try #require(fixture.open(1, priority: .help).alerts.first)
        _ = fixture.answer(taken, .accepted(sealed: []))
        for number in 2...1000 as ClosedRange<UInt64> { _ = fixture.open(number, priority: .help) }
        #expect(fixture.open(1001, priority: .help) == [.refuse(.full)])
        #expect(fixture.open(1002, priority: .arrest).contains(.end(DispatchFixture.incident(1000), .displaced)))
        #expect(fixture.dispatch.incidentsCount == 1000)
        for number in 1003...2000 as ClosedRange<UInt64> { _ = fixture.open(number, priority: .danger) }
        #expect(fixture.open(2001, priority: .danger) == [.refuse(.full)], "somebody is on the way to the only .help")
    }

    @Test func limitsVolunteersAndAlerts() {
        var policy = DispatchPolicy()
        policy.volunteersMax = 5
        policy.alertsMax = 4
        var fixture = DispatchFixture(policy)
        fixture.enroll(1...6)
        #expect(fixture.dispatch.volunteersCount == 5)
        #expect(fixture.open().alerts.count == 4)
        #expect(fixture.wait(.seconds(20)).alerts.isEmpty)
        let cell = DispatchFixture.home
        let id = VolunteerID(high: 0, low: 1)
        #expect(Volunteer(id: id, cells: [cell, cell], hours: nil, skills: .cpr, reach: 1) == nil)
        #expect(Volunteer(id: id, cells: [], hours: nil, skills: .cpr, reach: 1) == nil)
        #expect(
            Volunteer(id: id, cells: [Grid.Cell(row: 20_000, column: 0)], hours: nil, skills: .cpr, reach: 1) == nil
        )
        #expect(Volunteer(id: id, cells: [cell], hours: nil, skills: .cpr, reach: Volunteer.reachMax + 1) == nil)
    }
}
