import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// The order of writes, replies and pushes; the rules of alerts are in `DispatchTests`.
@Suite struct RespondersCoreTests {
    /// A service with its rows; a write and a push wait until the test ends them.
    private struct Fixture {
        var core: RespondersCore
        var rows: [ResponderRow.Key: ResponderRow] = [:]
        var writing: [ResponderRow]?
        var pushes: [AlertPush] = []
        var replies: [UInt64: SharingCore.Reply] = [:]
        var events: [IncidentEvent] = []
        var now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(seconds: 1_800_000_000))
        var ticket: UInt64 = 0
        var hasPhone = true

        init() throws {
            self.core = try Self.core(self.now)
            self.perform(self.core.deadlineReached(now: self.now))
        }

        static func key(_ number: UInt8) throws -> PublicIdentity {
            try #require(PublicIdentity(bytes: [number] + Array(repeating: 2, count: 31)))
        }

        private static func core(_ now: Now) throws -> RespondersCore {
            let key = try self.key(100)
            let dispatcher = Dispatcher(id: DispatcherID(of: key), center: DispatchFixture.home, radius: 50_000)
            return RespondersCore(dispatchers: [key: dispatcher], policy: DispatchPolicy(), seed: 1, now: now.monotonic)
        }

        /// Another process reads the rows that were written.
        mutating func restart() throws {
            self.writing = nil
            self.core = try Self.core(self.now)
            self.perform(self.core.deadlineReached(now: self.now))
        }

        mutating func perform(_ effects: [SharingCore.Effect]) {
            for effect in effects {
                switch effect {
                case .loadResponders:
                    let rows = self.rows.values.sorted { $0.key < $1.key }
                    self.perform(self.core.loaded(rows, now: self.now))
                case .keepResponders(let rows): self.writing = rows
                case .reply(let ticket, let reply): self.replies[ticket] = reply
                case .sendAlert(let push): self.pushes.append(push)
                case .access(.read(.volunteer(let person, let alert, let purpose))):
                    let device = self.hasPhone ? try? Self.registration(person) : nil
                    self.perform(self.core.deviceFound(device, alert, purpose, now: self.now))
                case .tell(let ticket, .incidents(let events), _):
                    self.events += events
                    self.perform(self.core.told(ticket, now: self.now))
                default: Issue.record("\(effect)")
                }
            }
        }

        private static func registration(_ person: PublicIdentity) throws -> Registration {
            try Registration(
                sharer: person,
                token: [1],
                topic: "a",
                issued: WallTime(seconds: 0),
                device: RegisteredDevice(
                    id: DeviceID(high: 0, low: 1),
                    chosen: WallTime(seconds: 0),
                    pushKey: [9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1),
                    sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
                )
            )
        }

        mutating func send(_ statement: RespondersCore.Statement) -> UInt64 {
            self.ticket += 1
            self.perform(self.core.received(statement, self.ticket, now: self.now))
            return self.ticket
        }

        /// Ends the write in progress, and those that follow it.
        mutating func keep() {
            while let rows = self.writing {
                self.writing = nil
                for row in rows { self.rows[row.key] = row }
                self.perform(self.core.kept(now: self.now))
            }
        }

        mutating func wait(_ duration: Duration) {
            self.now.monotonic = self.now.monotonic.advanced(by: duration)
            self.now.wall = self.now.wall.advanced(by: duration)
            self.perform(self.core.deadlineReached(now: self.now))
        }

        static func verified<Value>(_ value: Value) -> Verified<Value> { Verified(Signed(value: value, signature: [])) }

        mutating func enrol(_ number: UInt8) throws -> UInt64 {
            let enrolment = Enrolment(
                person: try Self.key(number),
                issued: self.now.wall,
                cells: [DispatchFixture.home],
                hours: nil,
                skills: .cpr,
                reach: 2000
            )
            return self.send(.enrol(Self.verified(try #require(enrolment))))
        }

        mutating func open(_ number: UInt64 = 1) throws -> UInt64 {
            let incident = Incident(
                id: DispatchFixture.incident(number),
                cell: DispatchFixture.home,
                priority: .help,
                responders: 1,
                needsAED: false,
                signed: self.now.wall
            )
            let dispatcher = try Self.key(100)
            let opening = IncidentOpening(
                incident: try #require(incident),
                dispatcher: dispatcher,
                suite: .x25519,
                publicKey: []
            )
            return self.send(.open(Self.verified(opening)))
        }

        mutating func seal(_ alert: AlertID) throws -> UInt64 {
            let message = SealedAlert(
                alert: alert,
                incident: DispatchFixture.incident(1),
                dispatcher: try Self.key(100),
                role: .patient,
                sealed: [1]
            )
            return self.send(.seal(Self.verified(try #require(message))))
        }

        mutating func close(isFalseAlarm: Bool) throws -> UInt64 {
            let closing = IncidentClosing(
                incident: DispatchFixture.incident(1),
                dispatcher: try Self.key(100),
                reason: isFalseAlarm ? .falseAlarm : .stoodDown
            )
            return self.send(.close(Self.verified(closing)))
        }

        mutating func answer(_ alert: AlertID, by number: UInt8, _ answer: Responder.Answer, _ count: UInt32) throws {
            let reply = ResponderReply(alert: alert, person: try Self.key(number), number: count, answer: answer)
            _ = self.send(.answer(Self.verified(reply)))
            self.keep()
        }

        /// The records of incidents that were written.
        var audits: [IncidentAudit] {
            self.rows.values.compactMap { if case .audited(let audit) = $0 { audit } else { nil } }
        }

        mutating func watch() throws {
            self.ticket += 1
            let permit = IncidentsPermit(dispatcher: try Self.key(100))
            self.perform(self.core.watched(by: Self.verified(permit), self.ticket, now: self.now))
        }

        /// The newest alert that the dispatcher sees.
        var alert: IncidentEvent.Alert? {
            for event in self.events.reversed() { if case .alert(let alert) = event.subject { return alert } }
            return nil
        }
    }

    private func isConfirmed(_ reply: SharingCore.Reply?) -> Bool { reply == .responding(.confirm) }

    @Test func nothingIsSaidBeforeItIsOnDisk() throws {
        var fixture = try Fixture()
        let enrolled = try fixture.enrol(1)
        #expect(fixture.replies[enrolled] == nil)
        fixture.keep()
        #expect(self.isConfirmed(fixture.replies[enrolled]))
        try fixture.watch()
        let opened = try fixture.open()
        fixture.keep()
        #expect(self.isConfirmed(fixture.replies[opened]))
        let id = try #require(fixture.alert).id
        let sealed = try fixture.seal(id)
        #expect(fixture.replies[sealed] == nil && fixture.pushes.isEmpty, "the alert is not on disk")
        fixture.keep()
        #expect(self.isConfirmed(fixture.replies[sealed]) && fixture.pushes.count == 1)
        fixture.perform(fixture.core.pushEnded(id, fixture.pushes[0].notice, nil, now: fixture.now))
        _ = try fixture.close(isFalseAlarm: true)
        #expect(fixture.pushes.count == 1, "the end is not on disk")
        fixture.keep()
        #expect(fixture.pushes.last?.notice == .ended(id, .incident(.cancelled)))
        #expect(fixture.alert?.end == .incident(.cancelled))
    }

    /// Goal: a stand-down that may not have left is pushed again after a restart, and not once it was accepted.
    @Test func theEndIsPushedUntilThePushServiceAcceptsIt() throws {
        var fixture = try Fixture()
        _ = try fixture.enrol(1)
        try fixture.watch()
        _ = try fixture.open()
        fixture.keep()
        let id = try #require(fixture.alert).id
        _ = try fixture.seal(id)
        fixture.keep()
        fixture.perform(fixture.core.pushEnded(id, fixture.pushes[0].notice, nil, now: fixture.now))
        fixture.wait(.seconds(3600))
        fixture.keep()
        let end = ResponderNotice.ended(id, .incident(.expired))
        #expect(fixture.pushes.last?.notice == end)
        fixture.perform(fixture.core.pushEnded(id, end, .temporary("busy"), now: fixture.now))
        #expect(fixture.pushes.count == 2)
        fixture.wait(.seconds(5))
        fixture.keep()
        #expect(fixture.pushes.count == 3)
        try fixture.restart()
        #expect(fixture.pushes.count == 4 && fixture.pushes.last?.notice == end)
        fixture.perform(fixture.core.pushEnded(id, end, nil, now: fixture.now))
        fixture.keep()
        try fixture.restart()
        #expect(fixture.pushes.count == 4)
    }

    @Test func aFailedWriteIsReportedAndMadeAgain() throws {
        var fixture = try Fixture()
        let first = try fixture.enrol(1)
        let rows = try #require(fixture.writing)
        fixture.writing = nil
        fixture.perform(fixture.core.keepFailed(now: fixture.now))
        #expect(fixture.replies[first] == .failed && fixture.rows.isEmpty)
        fixture.wait(.milliseconds(999))
        #expect(fixture.writing == nil)
        fixture.wait(.milliseconds(1))
        #expect(fixture.writing == rows)
        let again = try fixture.enrol(1)
        fixture.keep()
        #expect(self.isConfirmed(fixture.replies[again]))
    }

    /// Goal: the operator's record counts what happened to an incident, also over a restart, and nothing after its end.
    @Test func eachIncidentHasARecord() throws {
        var fixture = try Fixture()
        for number in 1...2 as ClosedRange<UInt8> { _ = try fixture.enrol(number) }
        try fixture.watch()
        _ = try fixture.open()
        fixture.keep()
        let opened = fixture.now.wall
        #expect(fixture.audits.map(\.woken) == [[]])
        for alert in Set(fixture.events.compactMap { if case .alert(let alert) = $0.subject { alert.id } else { nil } })
        {
            _ = try fixture.seal(alert)
            fixture.keep()
        }
        fixture.wait(.seconds(2))
        let woken = fixture.rows.values.compactMap { if case .alert(let alert) = $0 { alert } else { nil } }
        try #require(woken.count == 2)
        let (first, second) = (woken[0].alert.value.alert, woken[1].alert.value.alert)
        try fixture.answer(first, by: woken[0].person.bytes[0], .refused, 1)
        try fixture.answer(second, by: woken[1].person.bytes[0], .accepted(sealed: [1]), 1)
        try fixture.restart()
        fixture.keep()
        try fixture.answer(second, by: woken[1].person.bytes[0], .arrived, 2)
        fixture.wait(.seconds(3))
        _ = try fixture.close(isFalseAlarm: false)
        fixture.keep()
        let audit = try #require(fixture.audits.first)
        #expect(try fixture.audits.count == 1 && audit.dispatcher == Fixture.key(100))
        #expect(audit.woken == [2] && audit.declinedCount == 1 && audit.undeliveredCount == 0)
        #expect(audit.acceptedCount == 1 && audit.arrivedCount == 1)
        #expect(audit.end == .stoodDown && audit.opened == opened && audit.changed == opened.advanced(by: .seconds(5)))
        try fixture.restart()
        fixture.wait(.seconds(4000))
        fixture.keep()
        #expect(fixture.audits == [audit])
    }

    @Test func aVolunteerWithoutAPhoneIsNeverShown() throws {
        var fixture = try Fixture()
        fixture.hasPhone = false
        _ = try fixture.enrol(1)
        try fixture.watch()
        _ = try fixture.open()
        fixture.keep()
        #expect(fixture.alert == nil)
        #expect(fixture.events.contains { $0.subject == .incident(.exhausted) })
    }

    @Test func theThousandAndFirstIncidentIsRefused() throws {
        var fixture = try Fixture()
        for number in 1...1000 as ClosedRange<UInt64> { _ = try fixture.open(number) }
        let last = try fixture.open(1001)
        fixture.keep()
        #expect(fixture.replies[last] == .responding(.refuse(.full)))
        #expect(fixture.rows.count == 2000, "each has its record")
        try fixture.restart()
        let other = try fixture.open(1002)
        fixture.keep()
        #expect(fixture.replies[other] == .responding(.refuse(.full)))
    }
}
