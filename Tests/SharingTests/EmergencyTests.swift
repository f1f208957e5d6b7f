internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// A dispatcher, phones, and the server's machines between them: every byte is signed, sealed, stored and opened as in reality.
@Suite(.timeLimit(.minutes(1))) struct EmergencyTests {
    private let temporary: TemporaryDirectory
    private let dispatcher: IncidentDispatcher
    private let server: DispatchServerModel
    private let place: PatientPlace

    init() throws {
        self.temporary = try TemporaryDirectory()
        let profile = try self.temporary.profile("dispatcher")
        let center = try VolunteerTerms.cell(latitude: 53.55, longitude: 9.99)
        var policy = DispatchPolicy()
        // A person who accepts does not wait for nearer people: this test has no clock.
        policy.choice = .zero
        self.server = DispatchServerModel(
            dispatchers: [
                profile.identity.publicIdentity: Dispatcher(
                    id: DispatcherID(high: 1, low: 1),
                    center: center,
                    radius: 50_000
                )
            ],
            policy: policy
        )
        self.dispatcher = try IncidentDispatcher(profile: profile, transport: self.server)
        self.place = try PatientPlace(latitude: 53.5503, longitude: 9.9903, note: "3rd floor")
    }

    /// Enrols a person whose phone is `metres` north of the patient.
    private func enrol(_ name: String) async throws -> Sharer {
        let profile = try self.temporary.profile(name)
        let device = try profile.deviceFile.device(for: DispatchServerModel.topic, token: [1], HPKESealing(), now: .now)
        self.server.register(profile.identity.publicIdentity, key: device.keys.newest.publicKey)
        let sharer = try Sharer(profile: profile, transport: self.server)
        let terms = try VolunteerTerms(
            places: [(53.55, 9.99)],
            hours: nil,
            resuscitates: true,
            fetchesDefibrillator: false,
            reach: 1500,
            dispatchers: [self.dispatcher.profile.identity.publicIdentity]
        )
        try await sharer.volunteer(on: terms)
        return sharer
    }

    private func fix(metres: Double) throws -> SharedFix {
        try SharedFix(
            latitude: self.place.coordinates.latitude + metres / 111_000,
            longitude: self.place.coordinates.longitude,
            horizontalAccuracy: 5,
            time: .now
        )
    }

    /// The way a person acts on an alert.
    private enum Behaviour { case isAway, refuses, comes }

    private static func behaviour(_ number: Int) -> Behaviour {
        switch number % 5 {
        case 0, 1: .isAway
        case 2, 3: .refuses
        default: .comes
        }
    }

    /// Goal: two people come; everyone else stays at home, is asked at most once, and learns how it ended.
    ///
    /// Audited: the dispatcher sees the position of nobody who did not accept, and the server sees no position at all.
    @Test func twoPeopleCome() async throws {
        var phones: [PublicIdentity: (number: Int, sharer: Sharer)] = [:]
        for number in 0..<20 {
            let sharer = try await self.enrol("volunteer\(number)")
            phones[sharer.profile.identity.publicIdentity] = (number, sharer)
        }
        let incident = try await self.dispatcher.open(
            at: self.place,
            priority: .arrest,
            responders: 2,
            needsAED: false
        )
        #expect(self.dispatcher.profile.openIncidents() == [incident])
        let updates = Mutex<[IncidentUpdate]>([])
        let answering = Task { [phones, server] in
            for await push in server.pushes {
                guard let (number, sharer) = phones[push.person] else { continue }
                try await self.receive(push.payload, number, sharer)
            }
        }
        try await self.dispatcher.follow(incident, explain: { Issue.record("\($0)") }) { update in
            updates.withLock { $0.append(update) }
            let arrived = updates.withLock { Self.rows($0).values.count { $0.state == .arrived && $0.end == nil } }
            guard arrived == 2 else { return }
            Task { [dispatcher] in try await dispatcher.end(incident.id, isFalseAlarm: false) }
        }
        let all = updates.withLock { $0 }
        #expect(all.last == .ended(.stoodDown))
        #expect(self.dispatcher.profile.openIncidents().isEmpty)
        self.server.stop()
        try await answering.value
        try self.audit(all, phones.values.map { $0 })
    }

    /// Goal: nobody can open an incident again that was ended, not even at a server that lost its data.
    @Test func anEndedIncidentLeavesTheProfile() async throws {
        let incident = try await self.dispatcher.open(at: self.place, priority: .help, responders: 1, needsAED: false)
        try await self.dispatcher.end(incident.id, isFalseAlarm: true)
        #expect(self.dispatcher.profile.openIncidents().isEmpty)
    }

    /// Goal: a dispatcher learns that a server which lost its data does not have the incident.
    @Test func anIncidentThatTheServerLostFails() async throws {
        let incident = try await self.dispatcher.open(at: self.place, priority: .help, responders: 1, needsAED: false)
        let profile = self.dispatcher.profile
        let server = DispatchServerModel(dispatchers: [:], policy: DispatchPolicy())
        let updates = Mutex<[IncidentUpdate]>([])
        try await IncidentDispatcher(profile: profile, transport: server)
            .follow(incident, explain: { Issue.record("\($0)") }) { update in updates.withLock { $0.append(update) } }
        let last = updates.withLock { $0 }.last
        guard case .failed(let words)? = last else { return #expect(last == .failed("")) }
        #expect(words.contains("does not have the incident"))
    }

    private static func rows(_ updates: [IncidentUpdate]) -> [AlertID: IncidentUpdate.Row] {
        var rows: [AlertID: IncidentUpdate.Row] = [:]
        for case .alert(let row) in updates {
            // The end of an alert does not repeat its state.
            if row.end == nil || rows[row.alert] == nil { rows[row.alert] = row }
        }
        return rows
    }

    /// A phone gets a push, and its person acts.
    private func receive(_ payload: Data, _ number: Int, _ sharer: Sharer) async throws {
        let json = try JSONSerialization.jsonObject(with: payload) as? [String: Any] ?? [:]
        let alert = try #require(try sharer.receiveAlert(pushPayload: json))
        guard alert.state == .locating else { return }
        #expect(alert.note == "3rd floor")
        let behaviour = Self.behaviour(number)
        let fix = try self.fix(metres: behaviour == .isAway ? 1600 : Double(number * 50))
        let answered = try await sharer.respond(to: alert) { fix }
        #expect((answered.state == .outOfRange) == (behaviour == .isAway) || !answered.isOpen)
        guard answered.state == .asking else { return }
        switch behaviour {
        case .isAway: Issue.record("a person who is away was asked")
        case .refuses: try await sharer.refuse(alert.id)
        case .comes:
            guard try await sharer.accept(alert.id).isOpen else { return }
            try await sharer.move(toward: alert.id, at: self.fix(metres: 20))
            try await sharer.arrive(at: alert.id)
        }
    }

    private func audit(_ updates: [IncidentUpdate], _ phones: [(number: Int, sharer: Sharer)]) throws {
        var acceptors = 0
        for (number, sharer) in phones {
            let alerts = sharer.profile.alerts()
            #expect(alerts.count <= 1)
            #expect(alerts.allSatisfy { !$0.isOpen && $0.place == nil })
            guard alerts.contains(where: { $0.state == .ended(.stoodDown) }) else { continue }
            acceptors += 1
            #expect(Self.behaviour(number) == .comes)
        }
        #expect(acceptors == 2)
        let shown = Set(updates.compactMap { if case .alert(let row) = $0, row.fix != nil { row.alert } else { nil } })
        let accepted = Set(
            updates.compactMap { if case .alert(let row) = $0, row.state.isComing { row.alert } else { nil } }
        )
        #expect(shown.count == 2 && shown.isSubset(of: accepted))
        // The first bytes of each latitude that could have been sent, as a message writes them.
        let received = Data(self.server.received)
        for metres in [0, 20] + (0..<20).map({ Double($0 * 50) }) {
            let units = Int32((try self.fix(metres: metres).latitude * 1e7).rounded())
            let bytes: [UInt8] = unsafe withUnsafeBytes(of: units.bigEndian) { unsafe Array($0) }
            #expect(!received.contains(bytes))
        }
    }

    /// Goal: a program that starts again follows the open incident with the stored key, and a false alarm reaches the person who is asked.
    @Test func anotherProgramFollowsAndCancels() async throws {
        let sharer = try await self.enrol("volunteer")
        let opened = try await self.dispatcher.open(at: self.place, priority: .help, responders: 1, needsAED: false)
        let profile = try SharingProfile(path: self.dispatcher.profile.path)
        let again = try IncidentDispatcher(profile: profile, transport: self.server)
        let incident = try #require(profile.openIncidents().first)
        #expect(incident == opened)
        let following = Task {
            let updates = Mutex<[IncidentUpdate]>([])
            try await again.follow(incident, explain: { Issue.record("\($0)") }) { update in
                updates.withLock { $0.append(update) }
            }
            return updates.withLock { $0 }
        }
        var pushes = self.server.pushes.makeAsyncIterator()
        let first = try #require(await pushes.next())
        let json = try JSONSerialization.jsonObject(with: first.payload) as? [String: Any] ?? [:]
        let alert = try #require(try sharer.receiveAlert(pushPayload: json))
        let fix = try self.fix(metres: 100)
        #expect(try await sharer.respond(to: alert) { fix }.state == .asking)
        try await again.end(incident.id, isFalseAlarm: true)
        #expect(try await following.value.last == .ended(.cancelled))
        let second = try #require(await pushes.next())
        let end = try JSONSerialization.jsonObject(with: second.payload) as? [String: Any] ?? [:]
        #expect(try sharer.receiveAlert(pushPayload: end)?.state == .ended(.falseAlarm))
        // A person who accepts too late learns it from the reply.
        await #expect(throws: SharingError(.badText, "")) { try await sharer.accept(alert.id) }
    }

    @Test func aServerThatDoesNotKnowTheDispatcherRefuses() async throws {
        let profile = try self.temporary.profile("stranger")
        let stranger = try IncidentDispatcher(profile: profile, transport: self.server)
        await #expect(throws: SharingError(.refused, "")) {
            try await stranger.open(at: self.place, priority: .arrest, responders: 1, needsAED: false)
        }
        #expect(profile.openIncidents().isEmpty)
    }
}
