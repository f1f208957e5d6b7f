import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

@Suite struct DispatchAdmissionTests {
    /// An admission with a clock, one dispatcher, and short names for its inputs.
    private struct Fixture {
        var admission: DispatchAdmission
        var generator = SeededGenerator(seed: 42)
        var now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(seconds: 1_800_000_000))

        init(volunteersMax: Int = 100) throws {
            var policy = DispatchPolicy()
            policy.volunteersMax = volunteersMax
            let dispatchers = [try Self.key(100): DispatchFixture.dispatcher]
            self.admission = DispatchAdmission(dispatchers: dispatchers, policy: policy)
        }

        static func key(_ number: UInt8) throws -> PublicIdentity {
            try #require(PublicIdentity(bytes: [number] + Array(repeating: 2, count: 31)))
        }

        static func verified<Value>(_ value: Value) -> Verified<Value> { Verified(Signed(value: value, signature: [])) }

        mutating func enroll(
            _ person: UInt8,
            age: Duration = .zero,
            reach: Int = 2000
        ) throws -> DispatchAdmission.OnMessage {
            let enrolment = try #require(
                Enrolment(
                    person: Self.key(person),
                    issued: self.now.wall - age,
                    cells: [DispatchFixture.home],
                    hours: nil,
                    skills: .cpr,
                    reach: reach
                )
            )
            return self.admission.enrolmentReceived(Self.verified(enrolment), now: self.now, using: &self.generator)
        }

        mutating func leave(_ person: UInt8, age: Duration = .zero) throws -> DispatchAdmission.OnMessage {
            let departure = Departure(person: try Self.key(person), issued: self.now.wall - age)
            return self.admission.departureReceived(Self.verified(departure), now: self.now)
        }

        mutating func wait(_ duration: Duration) {
            self.now.monotonic = self.now.monotonic.advanced(by: duration)
            self.now.wall = self.now.wall.advanced(by: duration)
        }
    }

    private func volunteer(_ result: DispatchAdmission.OnMessage) throws -> Volunteer {
        guard case .handle(.enrolled(let volunteer)) = result else {
            throw Unexpected(result: result)
        }
        return volunteer
    }

    private struct Unexpected: Error { let result: DispatchAdmission.OnMessage }

    @Test func aLaterEnrolmentReplacesTheEarlierOneOfThePersonOnly() throws {
        var fixture = try Fixture()
        let first = try self.volunteer(fixture.enroll(1, age: .seconds(2)))
        let other = try self.volunteer(fixture.enroll(2))
        #expect(first.id != other.id)
        let changed = try self.volunteer(fixture.enroll(1, age: .seconds(1), reach: 3000))
        #expect(changed.id == first.id && changed.reach == 3000)
        #expect(try fixture.enroll(1, age: .seconds(2)) == .refuse(.outdated))
        #expect(try self.volunteer(fixture.enroll(1, age: .seconds(1), reach: 3000)) == changed, "the reply was lost")
        #expect(fixture.admission.keysCount == 2)
    }

    @Test(arguments: [121, -121]) func refusesDatesThatAreNotFresh(seconds: Int) throws {
        var fixture = try Fixture()
        #expect(try fixture.enroll(1, age: .seconds(seconds)) == .refuse(.stale))
        _ = try fixture.enroll(1)
        #expect(try fixture.leave(1, age: .seconds(seconds)) == .refuse(.stale))
    }

    /// Goal: nobody can enrol a person again with a copy of an earlier message.
    ///
    /// Method: send a copy at every second from the departure on until the person is forgotten, and after it.
    @Test func aCopyOfAnEnrolmentIsRefusedAfterTheDeparture() throws {
        var fixture = try Fixture()
        // The person's clock is ahead, as far as the rule allows.
        let id = try self.volunteer(fixture.enroll(1, age: .seconds(-119))).id
        #expect(try fixture.leave(1, age: .seconds(-118)) == .refuse(.outdated))
        #expect(try fixture.leave(1, age: .seconds(-120)) == .handle(.left(id)))
        #expect(try fixture.leave(1, age: .seconds(-120)) == .ignore)
        var reasons: Set<Dispatch.Refusal> = []
        for second in 0...300 {
            guard case .refuse(let reason) = try fixture.enroll(1, age: .seconds(second - 119)) else {
                Issue.record("accepted after \(second) s")
                break
            }
            reasons.insert(reason)
            fixture.wait(.seconds(1))
        }
        #expect(reasons == [.outdated, .stale])
        #expect(fixture.admission.keysCount == 0, "the server forgets a person who left")
        #expect(try fixture.leave(1) == .ignore)
        #expect(try self.volunteer(fixture.enroll(1)).id != id)
    }

    @Test func aPersonMayEnrolAgainAtOnce() throws {
        var fixture = try Fixture()
        _ = try fixture.enroll(1, age: .seconds(3))
        _ = try fixture.leave(1, age: .seconds(2))
        let again = try self.volunteer(fixture.enroll(1, age: .seconds(1)))
        fixture.wait(.seconds(600))
        // The time to forget the first departure passed: the second enrolment is still known.
        #expect(try fixture.leave(1) == .handle(.left(again.id)))
    }

    @Test func keysAreBounded() throws {
        var fixture = try Fixture(volunteersMax: 2)
        _ = try fixture.enroll(1)
        _ = try fixture.enroll(2)
        #expect(try fixture.enroll(3) == .refuse(.full))
        _ = try self.volunteer(fixture.enroll(2))
        _ = try fixture.leave(2)
        #expect(try fixture.enroll(3) == .refuse(.full), "the person who left is remembered")
        fixture.wait(.seconds(240))
        _ = try self.volunteer(fixture.enroll(3))
        #expect(fixture.admission.keysCount == 2)
    }

    @Test func onlyConfiguredDispatchersOpenAndEndIncidents() throws {
        let fixture = try Fixture()
        let incident = try #require(
            Incident(
                id: DispatchFixture.incident(1),
                cell: DispatchFixture.home,
                priority: .arrest,
                responders: 1,
                needsAED: false,
                signed: fixture.now.wall
            )
        )
        func open(_ key: UInt8) throws -> DispatchAdmission.OnMessage {
            let opening = IncidentOpening(
                incident: incident,
                dispatcher: try Fixture.key(key),
                suite: .x25519,
                publicKey: []
            )
            return fixture.admission.openingReceived(Fixture.verified(opening))
        }
        func close(_ key: UInt8, _ reason: IncidentClosing.Reason) throws -> DispatchAdmission.OnMessage {
            let closing = IncidentClosing(incident: incident.id, dispatcher: try Fixture.key(key), reason: reason)
            return fixture.admission.closingReceived(Fixture.verified(closing))
        }
        let dispatcher = DispatchFixture.dispatcher
        #expect(try open(100) == .handle(.opened(incident, by: dispatcher)))
        #expect(try open(101) == .refuse(.unknownDispatcher))
        #expect(try close(101, .falseAlarm) == .refuse(.unknownDispatcher))
        for reason in [IncidentClosing.Reason.falseAlarm, .stoodDown] {
            let isFalseAlarm = reason == .falseAlarm
            #expect(
                try close(100, reason)
                    == .handle(.closed(incident.id, by: dispatcher.id, isFalseAlarm: isFalseAlarm))
            )
        }
    }

    @Test func onlyConfiguredDispatchersSealPositions() throws {
        let fixture = try Fixture()
        func seal(_ key: UInt8) throws -> DispatchAdmission.OnMessage {
            let alert = SealedAlert(
                alert: AlertID(high: 1, low: 2),
                incident: DispatchFixture.incident(1),
                dispatcher: try Fixture.key(key),
                role: .patient,
                sealed: [1]
            )
            return fixture.admission.sealingReceived(Fixture.verified(try #require(alert)))
        }
        let (alert, incident) = (AlertID(high: 1, low: 2), DispatchFixture.incident(1))
        #expect(
            try seal(100) == .handle(.sealed(alert, of: incident, .patient, by: DispatchFixture.dispatcher.id))
        )
        #expect(try seal(101) == .refuse(.unknownDispatcher))
    }

    @Test func onlyVolunteersAnswer() throws {
        var fixture = try Fixture()
        let id = try self.volunteer(fixture.enroll(1)).id
        func reply(_ person: UInt8) throws -> DispatchAdmission.OnMessage {
            let alert = AlertID(high: 1, low: 2)
            let reply = ResponderReply(alert: alert, person: try Fixture.key(person), number: 3, answer: .refused)
            return fixture.admission.replyReceived(Fixture.verified(reply))
        }
        #expect(
            try reply(1) == .handle(.answered(AlertID(high: 1, low: 2), by: id, .refused, number: 3))
        )
        #expect(try reply(2) == .refuse(.unknownVolunteer))
        _ = try fixture.leave(1)
        #expect(try reply(1) == .refuse(.unknownVolunteer))
    }
}
