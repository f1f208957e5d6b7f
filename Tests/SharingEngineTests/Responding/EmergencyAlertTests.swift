import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// One alert on a volunteer's phone.
struct EmergencyAlertTests {
    let now = WallTime(seconds: 1_800_000_000)

    /// An alert to a patient at the equator, where a degree of longitude has 111,319 m.
    private func alert() throws -> EmergencyAlert {
        let incident = try #require(
            Incident(
                id: IncidentID(high: 1, low: 2),
                cell: Grid.Cell(row: 10_000, column: 20_000),
                priority: .arrest,
                responders: 1,
                needsAED: false,
                signed: self.now
            )
        )
        let dispatcher = try #require(PublicIdentity(bytes: Array(repeating: 1, count: PublicIdentity.byteCount)))
        let opening = IncidentOpening(incident: incident, dispatcher: dispatcher, suite: .x25519, publicKey: [9])
        let place = try #require(PatientPlace(point: QuantizedCoordinate(latitude: 0, longitude: 0), note: "3rd floor"))
        return EmergencyAlert(id: AlertID(high: 3, low: 4), role: .patient, of: opening, at: place)
    }

    private func fix(metres: Double, accuracy: Double = 10, age: Duration = .zero) throws -> SharedFix {
        try SharedFix(
            latitude: 0,
            longitude: metres / 111_319.49,
            horizontalAccuracy: accuracy,
            time: self.now - age
        )
    }

    /// Goal: the phone reports the shortest travel time that fits the distance, and asks the person.
    @Test(arguments: [
        (0, Responder.Band.within3), (414, .within3), (420, .within6), (830, .within6), (840, .within9),
        (1240, .within9), (1260, .longer), (1990, .longer),
    ])
    func theTravelTimeFitsTheDistance(metres: Double, band: Responder.Band) throws {
        var alert = try self.alert()
        #expect(alert.located(try self.fix(metres: metres), reach: 2000, now: self.now) == .ask)
        #expect(alert.state == .asking && alert.outgoing == [.init(number: 1, reply: .band(band))])
        #expect(abs(try #require(alert.metres) - Int(metres)) <= 1)
        #expect(alert.note == "3rd floor")
    }

    /// Goal: a person who is too far away, or whose position is unknown, is not disturbed, and the phone keeps no place.
    @Test(arguments: [(2002.0, 10.0, 0), (0, 501, 0), (0, 10, 121)])
    func aPhoneOutOfReachStaysQuiet(metres: Double, accuracy: Double, age: Int) throws {
        for fix in [try self.fix(metres: metres, accuracy: accuracy, age: .seconds(age)), nil] {
            var alert = try self.alert()
            #expect(alert.located(fix, reach: 2000, now: self.now) == .stayQuiet)
            #expect(alert.state == .outOfRange && !alert.isOpen && alert.place == nil && alert.fix == nil)
            #expect(alert.outgoing == [.init(number: 1, reply: .outOfRange)])
            #expect(throws: SharingError(.badText, "")) { try alert.accepted(at: fix, now: self.now) }
        }
    }

    @Test func theLimitsOfAFixCount() throws {
        var alert = try self.alert()
        let fix = try self.fix(metres: 1999, accuracy: 500, age: .seconds(120))
        #expect(alert.located(fix, reach: 2000, now: self.now) == .ask)
        // The extension measures once; a second fix changes nothing.
        #expect(alert.located(nil, reach: 2000, now: self.now) == .ignore)
        #expect(alert.state == .asking)
    }

    /// Goal: answers are numbered from 1 and wait in their order; a newer position replaces an unsent position.
    @Test func answersWaitInTheirOrder() throws {
        var alert = try self.alert()
        let (start, later) = (try self.fix(metres: 400), try self.fix(metres: 100))
        _ = alert.located(start, reach: 2000, now: self.now)
        try alert.accepted(at: nil, now: self.now)
        try alert.moved(to: try self.fix(metres: 200), now: self.now)
        try alert.moved(to: later, now: self.now)
        #expect(alert.outgoing.map(\.number) == [1, 2, 4])
        #expect(alert.outgoing.map(\.reply) == [.band(.within3), .accepted(start), .enRoute(later)])
        alert.confirmed(2)
        #expect(alert.outgoing.map(\.number) == [4])
        try alert.arrived(now: self.now)
        #expect(alert.state == .arrived && alert.isOpen && alert.outgoing.map(\.number) == [4, 5])
        try alert.withdrawn(now: self.now)
        #expect(alert.state == .withdrawn && !alert.isOpen && alert.place == nil && alert.fix == nil)
        #expect(alert.outgoing.map(\.number) == [4, 5, 6])
        alert.confirmed(6)
        #expect(alert.outgoing.isEmpty && alert.newest == 6)
    }

    /// Goal: a person can do only what fits the state; the answer that the person gave last changes nothing.
    @Test func anActionFitsTheState() throws {
        typealias Action = (inout EmergencyAlert) throws -> Void
        let fix = try self.fix(metres: 1)
        let actions: [(name: String, do: Action)] = [
            ("accept", { try $0.accepted(at: nil, now: self.now) }), ("refuse", { try $0.refused(now: self.now) }),
            ("move", { try $0.moved(to: nil, now: self.now) }), ("arrive", { try $0.arrived(now: self.now) }),
            ("withdraw", { try $0.withdrawn(now: self.now) }),
        ]
        let located: Action = { _ = $0.located(fix, reach: 9, now: self.now) }
        let ways: [(steps: [Action], allowed: Set<String>, given: String?)] = [
            ([], [], nil), ([located], ["accept", "refuse"], nil),
            ([located, actions[0].do], ["move", "arrive", "withdraw"], "accept"),
            ([located, actions[1].do], [], "refuse"),
            ([located, actions[0].do, actions[2].do], ["move", "arrive", "withdraw"], nil),
            ([located, actions[0].do, actions[3].do], ["withdraw"], "arrive"),
            ([located, actions[0].do, actions[4].do], [], "withdraw"),
            ([{ $0.ended(.enough) }], [], nil),
        ]
        for way in ways {
            var alert = try self.alert()
            for step in way.steps { try step(&alert) }
            for action in actions {
                var changed = alert
                let isTaken = (try? action.do(&changed)) != nil
                let isAllowed = way.allowed.contains(action.name)
                #expect(isTaken == (isAllowed || action.name == way.given), "\(alert.state) \(action.name)")
                #expect(isAllowed == (changed != alert))
            }
        }
    }

    @Test func anOldAlertAcceptsNoAction() throws {
        var alert = try self.alert()
        _ = alert.located(try self.fix(metres: 1), reach: 9, now: self.now)
        let end = self.now.advanced(by: .seconds(3600))
        #expect(alert.expires == end)
        #expect(throws: SharingError(.badText, "")) { try alert.accepted(at: nil, now: end) }
        try alert.accepted(at: nil, now: end - .milliseconds(1))
    }

    /// Goal: the server's end deletes where the patient and the person are, and an end after the person's own changes nothing.
    @Test func theServersEndDeletesThePlaces() throws {
        var alert = try self.alert()
        _ = alert.located(try self.fix(metres: 1), reach: 9, now: self.now)
        var refused = alert
        try alert.accepted(at: nil, now: self.now)
        alert.ended(.falseAlarm)
        #expect(alert.state == .ended(.falseAlarm) && !alert.isOpen)
        #expect(alert.place == nil && alert.fix == nil && alert.outgoing.isEmpty && alert.coordinates == nil)
        alert.ended(.enough)
        #expect(alert.state == .ended(.falseAlarm))
        try refused.refused(now: self.now)
        refused.ended(.stoodDown)
        #expect(refused.state == .refused && refused.outgoing.isEmpty)
    }

    @Test func aPlacesNoteIsShortAndPlain() {
        let point = QuantizedCoordinate(latitude: 1, longitude: 2)
        #expect(PatientPlace(point: point, note: String(repeating: "é", count: 80)) != nil)
        #expect(PatientPlace(point: point, note: String(repeating: "é", count: 81)) == nil)
        #expect(PatientPlace(point: point, note: "a\u{1B}[2Jb") == nil)
    }
}
