internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for the answers to an alert, with a server that replies as the test says.
struct AlertAnswerTests {
    /// A server that records what is posted, and replies in turn; 204 when nothing is left to say, and no reply for the status 0.
    private final class ScriptedServer: ServerTransport {
        private let state = Mutex<(replies: [ServerReply], posted: [(path: String, body: [UInt8])])>(([], []))

        init(_ replies: [ServerReply] = []) { self.state.withLock { $0.replies = replies } }

        var posted: [(path: String, body: [UInt8])] { self.state.withLock { $0.posted } }

        /// The answers that were posted, with checked signatures.
        var answers: [ResponderReply] {
            get throws {
                try self.posted.filter { $0.path.hasSuffix("/response") }.map {
                    try Signed<ResponderReply>(bytes: $0.body).verified().value
                }
            }
        }

        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            let path = URL(string: request.url)?.path ?? ""
            let reply = self.state.withLock { state in
                state.posted.append((path, request.body ?? []))
                return state.replies.isEmpty ? ServerReply(status: 204) : state.replies.removeFirst()
            }
            guard reply.status != 0 else { throw CancellationError() }
            return reply
        }

        func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int { 404 }
    }

    private let temporary: TemporaryDirectory
    private let profile: SharingProfile
    private let id = AlertID(high: 3, low: 4)

    init() throws {
        self.temporary = try TemporaryDirectory()
        self.profile = try self.temporary.profile("sharer")
    }

    private func sharer(_ server: ScriptedServer) throws -> Sharer {
        try Sharer(profile: self.profile, transport: server)
    }

    private func terms() throws -> VolunteerTerms {
        try VolunteerTerms(
            places: [(53.55, 9.99)],
            hours: nil,
            resuscitates: true,
            fetchesDefibrillator: true,
            reach: 1500,
            dispatchers: [Identity().publicIdentity]
        )
    }

    private func fix() throws -> SharedFix {
        try SharedFix(latitude: 53.551, longitude: 9.99, horizontalAccuracy: 5, time: .now)
    }

    /// Stores an alert, as a push brings it, and returns the incident's key.
    private func receive() throws -> (alert: EmergencyAlert, key: RequestKey) {
        let key = try HPKESealing().makeKey(suite: .x25519)
        let place = try PatientPlace(latitude: 53.55, longitude: 9.99, note: "")
        let incident = try #require(
            Incident(
                id: IncidentID(high: 1, low: 2),
                cell: VolunteerTerms.cell(latitude: 53.55, longitude: 9.99),
                priority: .arrest,
                responders: 1,
                needsAED: false,
                signed: .now
            )
        )
        let dispatcher = try Identity().publicIdentity
        let opening = IncidentOpening(
            incident: incident,
            dispatcher: dispatcher,
            suite: .x25519,
            publicKey: key.publicKey
        )
        let alert = EmergencyAlert(id: self.id, role: .patient, of: opening, at: place)
        _ = try self.profile.volunteerFile.replace(self.terms(), now: .now)
        #expect(try self.profile.alertFiles.record(alert, now: .now))
        return (alert, key)
    }

    /// Goal: the server gets each answer once and in order, from the travel time to the arrival, with the position
    /// sealed to the incident.
    @Test func aVolunteerComes() async throws {
        let server = ScriptedServer()
        let sharer = try self.sharer(server)
        let (alert, key) = try self.receive()
        let fix = try self.fix()
        let asking = try await sharer.respond(to: alert) { fix }
        #expect(asking.state == .asking && asking.outgoing.isEmpty && asking.metres == 111)
        try await sharer.accept(self.id)
        try await sharer.move(toward: self.id, at: fix)
        #expect(try await sharer.arrive(at: self.id).state == .arrived)
        let answers = try server.answers
        #expect(answers.map(\.number) == [1, 2, 3, 4])
        #expect(server.posted.allSatisfy { $0.path == "/v1/alerts/\(self.id)/response" })
        guard case .accepted(let sealed) = answers[1].answer, answers.first?.answer == .band(.within3),
            case .enRoute = answers[2].answer, answers[3].answer == .arrived
        else { throw FixtureError() }
        #expect(try SealedPlace.open(sealed, of: self.id, alert.incident, with: key, HPKESealing()) == fix)
        // No message has the position in the clear.
        let latitude: [UInt8] = unsafe withUnsafeBytes(of: Int32(535_510_000).bigEndian) { unsafe Array($0) }
        #expect(server.posted.allSatisfy { !Data($0.body).contains(latitude) })
    }

    /// Goal: a phone without a position reports that it is out of range, and its person is not asked.
    @Test func aPhoneWithoutAPositionIsOutOfRange() async throws {
        let server = ScriptedServer()
        let (alert, _) = try self.receive()
        let quiet = try await self.sharer(server).respond(to: alert) { throw FixtureError() }
        #expect(quiet.state == .outOfRange)
        #expect(try server.answers.map(\.answer) == [.outOfRange])
    }

    /// Goal: a lost answer is sent again, and a copy that the server refuses counts as sent.
    @Test func aLostAnswerIsSentAgain() async throws {
        let (alert, fix) = (try self.receive().alert, try self.fix())
        // The server is busy; the sharer tries again until its time is over, or the task is cancelled.
        let busy = ScriptedServer([ServerReply(status: 429)])
        let asking = try await self.sharer(busy).respond(to: alert) { fix }
        #expect(asking.state == .asking && asking.outgoing.map(\.number) == [1])
        let later = ScriptedServer([ServerReply(status: 409)])
        try await self.sharer(later).accept(self.id)
        #expect(try later.answers.map(\.number) == [1, 2])
        let idle = ScriptedServer()
        try await self.sharer(idle).sendAlertAnswers()
        #expect(idle.posted.isEmpty)
    }

    /// Goal: who gives the same answer again, after the first one could not be sent, sends it.
    @Test func theSameAnswerAgainIsSent() async throws {
        let (alert, fix) = (try self.receive().alert, try self.fix())
        _ = try await self.sharer(ScriptedServer()).respond(to: alert) { fix }
        let broken = try self.sharer(ScriptedServer([ServerReply(status: 400)]))
        await #expect(throws: SharingError.self) { try await broken.accept(self.id) }
        let server = ScriptedServer()
        #expect(try await self.sharer(server).accept(self.id).outgoing.isEmpty)
        #expect(try server.answers.map(\.number) == [2])
    }

    /// Goal: the reply to an answer can end the alert.
    @Test(arguments: [
        (ServerReply(status: 200, body: Array(#"{"ended":3}"#.utf8)), EmergencyAlert.End.falseAlarm),
        (ServerReply(status: 200, body: Array(#"{"ended":1}"#.utf8)), .enough),
        (ServerReply(status: 200, body: Array(#"{"ended":77}"#.utf8)), .unknown), (ServerReply(status: 404), .unknown),
    ])
    func theReplyEndsTheAlert(reply: ServerReply, end: EmergencyAlert.End) async throws {
        let (alert, fix) = (try self.receive().alert, try self.fix())
        let changed = try await self.sharer(ScriptedServer([reply])).respond(to: alert) { fix }
        #expect(changed.state == .ended(end) && self.profile.alerts().first == changed)
        await #expect(throws: SharingError(.badText, "")) { try await self.sharer(ScriptedServer()).accept(self.id) }
    }

    /// Goal: only the server decides whether a person is a volunteer, but a departure takes effect on the phone at
    /// once.
    @Test func enrollingAndLeaving() async throws {
        let terms = try self.terms()
        let refusing = ScriptedServer([ServerReply(status: 403)])
        await #expect(throws: SharingError(.refused, "")) { try await self.sharer(refusing).volunteer(on: terms) }
        #expect(try self.profile.volunteerTerms() == nil)
        let server = ScriptedServer()
        try await self.sharer(server).volunteer(on: terms)
        #expect(try self.profile.volunteerTerms() == terms)
        let enrolment = try Signed<Enrolment>(bytes: server.posted[0].body).verified().value
        #expect(enrolment.cells == terms.cells && enrolment.reach == 1500 && server.posted[0].path == "/v1/responders")
        _ = try self.receive()
        let leaving = ScriptedServer([ServerReply(status: 429)])
        await #expect(throws: SharingError(.refused, "")) { try await self.sharer(leaving).leaveVolunteers() }
        #expect(try self.profile.volunteerTerms() == nil)
        #expect(self.profile.alerts().first?.isOpen == false)
        let departure = try Signed<Departure>(bytes: leaving.posted[0].body).verified().value
        #expect(departure.issued > enrolment.issued && leaving.posted[0].path == "/v1/responders/departures")
        // A server that names no dispatchers any more may still have the enrolment.
        await #expect(throws: SharingError.self) {
            try await self.sharer(ScriptedServer([ServerReply(status: 404)])).leaveVolunteers()
        }
    }
}
