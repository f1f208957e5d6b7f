internal import Foundation
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsCommand
@testable internal import WhereaboutsSharing
@testable internal import WhereaboutsSharingServer

/// Tests for volunteers and dispatchers at a server over real TLS.
struct RespondersTests {
    private static let cell = Grid.Cell(row: 15_834, column: 20_905)
    private static let topic = "com.example.FindFriends"

    private let town: Town
    private let dispatcher: Identity
    private let volunteer: Identity
    private let phone: RequestKey
    private let incident = IncidentID(high: 1, low: 2)

    init() throws {
        self.town = try Town()
        self.dispatcher = try Identity(seed: Array(repeating: 1, count: 32))
        self.volunteer = try Identity(seed: Array(repeating: 2, count: 32))
        self.phone = try HPKESealing().makeKey(suite: SealedPush.suite)
    }

    private var dispatchers: [PublicIdentity: Dispatcher] {
        let key = self.dispatcher.publicIdentity
        return [key: Dispatcher(id: DispatcherID(of: key), center: Self.cell, radius: 20_000)]
    }

    /// Posts a message and returns the reply; a server that has just started may still read its rows.
    private func send(_ port: Int, _ path: String, _ bytes: [UInt8]) async throws -> (status: UInt, body: String) {
        var reply: (status: UInt, body: String) = (503, "")
        for _ in 0..<1000 where reply.status == 503 {
            reply = try await self.town.send(port: port, path, bytes)
        }
        return reply
    }

    /// Posts a message and checks the status.
    private func post(
        _ port: Int,
        _ path: String,
        _ bytes: [UInt8],
        _ expected: UInt,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await self.send(port, path, bytes).status == expected, sourceLocation: location)
    }

    private func registration(_ identity: Identity) throws -> [UInt8] {
        let registration = try Registration(
            sharer: identity.publicIdentity,
            token: Array(repeating: 7, count: 32),
            topic: Self.topic,
            issued: .now,
            device: RegisteredDevice(
                id: DeviceID(high: 0, low: 1),
                chosen: .now,
                pushKey: self.phone.publicKey,
                sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
            )
        )
        return try identity.sign(registration).bytes
    }

    private func enrolment(_ identity: Identity, age: Duration = .zero) throws -> [UInt8] {
        let enrolment = Enrolment(
            person: identity.publicIdentity,
            issued: .now - age,
            cells: [Self.cell],
            hours: nil,
            skills: [.cpr],
            reach: 2000
        )
        return try identity.sign(#require(enrolment)).bytes
    }

    private func opening(
        _ id: IncidentID? = nil,
        cell: Grid.Cell = Self.cell,
        by identity: Identity? = nil
    ) throws -> [UInt8] {
        let incident = Incident(
            id: id ?? self.incident,
            cell: cell,
            priority: .help,
            responders: 1,
            needsAED: false,
            signed: .now
        )
        let author = identity ?? self.dispatcher
        let opening = IncidentOpening(
            incident: try #require(incident),
            dispatcher: author.publicIdentity,
            suite: .x25519,
            publicKey: Array(repeating: 9, count: 32)
        )
        return try author.sign(opening).bytes
    }

    private func sealed(_ alert: AlertID, by identity: Identity? = nil) throws -> [UInt8] {
        let author = identity ?? self.dispatcher
        let message = SealedAlert(
            alert: alert,
            incident: self.incident,
            dispatcher: author.publicIdentity,
            role: .patient,
            sealed: [5, 6, 7]
        )
        return try author.sign(#require(message)).bytes
    }

    private func reply(_ alert: AlertID, _ answer: Responder.Answer, number: UInt32) throws -> [UInt8] {
        let person = self.volunteer.publicIdentity
        return try self.volunteer.sign(ResponderReply(alert: alert, person: person, number: number, answer: answer))
            .bytes
    }

    private var closing: [UInt8] {
        get throws {
            let dispatcher = self.dispatcher.publicIdentity
            return try self.dispatcher.sign(
                IncidentClosing(incident: self.incident, dispatcher: dispatcher, reason: .falseAlarm)
            ).bytes
        }
    }

    private struct Found: Error {}

    /// Reads the dispatcher's stream until an event has this state; returns all events until then.
    private func events(_ port: Int, until state: String) async throws -> [Wire.IncidentEvent] {
        let settings = try ServerSettings(server: "https://localhost:\(port)", trustRoots: self.town.path("ca.pem"))
        let permit = try self.dispatcher.sign(IncidentsPermit(dispatcher: self.dispatcher.publicIdentity))
        let request = ServerRequest(
            url: "https://localhost:\(port)/v1/incidents/events",
            authorization: "Whereabouts \(Base64URL.text(of: permit.bytes))"
        )
        let transport = try HTTPSTransport(settings: settings)
        var (text, events): (String, [Wire.IncidentEvent]) = ("", [])
        for _ in 0..<1000 {
            do {
                let status = try await transport.stream(request) { bytes in
                    text += String(decoding: bytes, as: UTF8.self)
                    events = try text.split(separator: "\n\n", omittingEmptySubsequences: true)
                        .filter { $0.hasPrefix("data: ") }
                        .map { try JSONDecoder().decode(Wire.IncidentEvent.self, from: Data($0.dropFirst(6).utf8)) }
                    if events.contains(where: { $0.state == state }) { throw Found() }
                }
                guard status == 503 else { throw TownError() }
            } catch is Found {
                return events
            }
        }
        throw TownError()
    }

    private func alert(_ port: Int, until state: String) async throws -> (id: AlertID, event: Wire.IncidentEvent) {
        let event = try #require(try await self.events(port, until: state).last { $0.state == state })
        let text = try #require(event.alert)
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        return (try #require(AlertID(bytes: bytes)), event)
    }

    /// Waits for a push with this kind of notice; a restarted server sends an alert again.
    private func notice(_ isWanted: (ResponderNotice) -> Bool) async throws -> ResponderNotice {
        for await push in self.town.push.pushes {
            let json = try JSONSerialization.jsonObject(with: Data(push.payload)) as? [String: Any]
            let sealed = try PushPayload.sealed(in: #require(json))
            let notice = try SealedPush.openNotice(sealed, with: self.phone, topic: Self.topic, HPKESealing())
            if isWanted(notice) { return notice }
        }
        throw TownError()
    }

    /// Goal: acknowledged state survives the server's death, and the volunteer learns the outcome.
    ///
    /// Method: kill the server after each step, and start another one with the same database.
    @Test(.timeLimit(.minutes(1))) func anAlertSurvivesTheDeathOfTheServerAfterEachStep() async throws {
        func run<Value: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Value) async throws -> Value {
            try await self.town.withServer(dispatchers: self.dispatchers, body)
        }
        try await run { port in
            try await self.post(port, "/v1/responders", self.enrolment(self.volunteer), 403)
            try await self.post(port, "/v1/devices", self.registration(self.volunteer), 204)
            try await self.post(port, "/v1/responders", self.enrolment(self.volunteer), 204)
        }
        let opening = try self.opening()
        try await run { port in try await self.post(port, "/v1/incidents", opening, 204) }
        let lost = try await run { try await self.alert($0, until: "chosen").id }
        let (id, bytes) = try await run { port in
            let (id, event) = try await self.alert(port, until: "chosen")
            #expect(event.key == Base64URL.text(of: self.phone.publicKey))
            try await self.post(port, "/v1/alerts/\(lost)", self.sealed(lost), 404)
            let bytes = try self.sealed(id)
            try await self.post(port, "/v1/alerts/\(id)", bytes, 204)
            try await self.post(port, "/v1/alerts/\(id)", bytes, 204)
            return (id, bytes)
        }
        let pushed = try await run { _ in try await self.notice { _ in true } }
        guard case .alert(let alert, let opened) = pushed else { throw TownError() }
        #expect(try alert.verified().signed.bytes == bytes && opened.verified().signed.bytes == opening)
        try await run { port in
            try await self.post(port, "/v1/alerts/\(id)/response", self.reply(id, .band(.within6), number: 1), 204)
        }
        try await run { port in
            let accepted = try self.reply(id, .accepted(sealed: [8, 9]), number: 2)
            try await self.post(port, "/v1/alerts/\(id)/response", accepted, 204)
            try await self.post(port, "/v1/alerts/\(id)/response", accepted, 204)
        }
        try await run { port in
            let event = try await self.alert(port, until: "accepted").event
            #expect(event.position == Base64URL.text(of: [8, 9]) && event.alert == id.description)
            let old = try self.reply(id, .accepted(sealed: [8, 9]), number: 2)
            try await self.post(port, "/v1/alerts/\(id)/response", old, 409)
            try await self.post(port, "/v1/alerts/\(id)/response", self.reply(id, .arrived, number: 3), 204)
        }
        try await run { port in
            try await self.post(port, "/v1/incidents/\(self.incident)/end", self.closing, 204)
        }
        try await run { port in
            let ended = ResponderNotice.ended(id, .incident(.cancelled))
            #expect(try await self.notice { $0 == ended } == ended)
            let late = try self.reply(id, .arrived, number: 4)
            let over = try await self.send(port, "/v1/alerts/\(id)/response", late)
            #expect(over.status == 200 && over.body == #"{"ended":3}"#)
            try await self.post(port, "/v1/incidents", opening, 409)
            #expect(try await self.events(port, until: "ended").contains { $0.alert == nil && $0.end == 3 })
            // The operator's record is complete, and readable while the server runs.
            let records = try await IncidentRecords.read(self.town.path("server.sqlite"))
            let cells = records.map { IncidentsCommand.Row($0).cells }
            #expect(cells.map { Array($0[1...8]) } == [["\(self.incident)", "help", "1", "1", "1", "1", "0", "0"]])
            #expect(cells.first?[9].hasSuffix("falseAlarm") == true)
            #expect(cells.first?.last == self.dispatcher.publicIdentity.text)
        }
    }

    @Test func aDatabaseThatIsNotAServersHasNoRecords() async throws {
        let path = self.town.path("none.sqlite")
        let error = await #expect(throws: SharingError.self) { try await IncidentRecords.read(path) }
        #expect(error?.message.contains(path) == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func refusesWhatNobodyMaySend() async throws {
        try await self.town.withServer(dispatchers: self.dispatchers) { port in
            let stranger = try Identity(seed: Array(repeating: 3, count: 32))
            try await self.post(port, "/v1/incidents", self.opening(by: stranger), 403)
            let far = Grid.Cell(row: Self.cell.row + 21, column: Self.cell.column)
            try await self.post(port, "/v1/incidents", self.opening(cell: far), 403)
            try await self.post(port, "/v1/incidents", self.opening() + [0], 400)
            var forged = try self.opening()
            forged[forged.count - 1] ^= 1
            try await self.post(port, "/v1/incidents", forged, 403)
            try await self.post(port, "/v1/incidents", Array(repeating: 0, count: 4097), 413)
            try await self.post(port, "/v1/devices", self.registration(self.volunteer), 204)
            try await self.post(port, "/v1/responders", self.enrolment(self.volunteer, age: .seconds(130)), 403)
            let enrolment = try self.enrolment(self.volunteer)
            try await self.post(port, "/v1/responders", enrolment, 204)
            let departure = Departure(person: self.volunteer.publicIdentity, issued: .now)
            let left = try self.volunteer.sign(departure).bytes
            try await self.post(port, "/v1/responders/departures", left, 204)
            try await self.post(port, "/v1/responders/departures", left, 204)
            try await self.post(port, "/v1/responders", enrolment, 409)
            try await self.post(port, "/v1/incidents", self.opening(), 204)
            let alert = AlertID(high: 9, low: 9)
            try await self.post(port, "/v1/alerts/\(alert)", self.sealed(alert), 404)
            try await self.post(port, "/v1/alerts/\(self.incident)", self.sealed(alert), 404)
            try await self.post(port, "/v1/alerts/\(alert)", self.sealed(alert, by: stranger), 403)
            let answer = try self.reply(alert, .refused, number: 1)
            try await self.post(port, "/v1/alerts/\(alert)/response", answer, 404)
            #expect(try await self.town.send(port: port, "/v1/incidents/events").status == 403)
            let permit = try stranger.sign(IncidentsPermit(dispatcher: stranger.publicIdentity)).bytes
            let field = "Whereabouts \(Base64URL.text(of: permit))"
            #expect(try await self.town.send(port: port, "/v1/incidents/events", authorization: field).status == 403)
        }
        // A copy of the enrolment is refused after a restart, too.
        try await self.town.withServer(dispatchers: self.dispatchers) { port in
            let earlier = try self.enrolment(self.volunteer, age: .seconds(60))
            try await self.post(port, "/v1/responders", earlier, 409)
        }
    }

    @Test func aServerWithoutDispatchersSaysSo() async throws {
        try await self.town.withServer { port in
            for (path, body) in [
                ("/v1/incidents", try self.opening()), ("/v1/responders", try self.enrolment(self.volunteer)),
            ] {
                let reply = try await self.town.send(port: port, path, body)
                #expect(reply.status == 404 && reply.body.contains("names no dispatchers"))
            }
        }
    }
}
