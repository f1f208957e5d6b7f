internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests a dispatcher and volunteers' phones with the real server, over TLS.
@Suite(.timeLimit(.minutes(1))) struct EmergencyServerTests {
    private static let latitude = 53.5503
    private static let longitude = 9.9903

    /// A position some metres north of the patient.
    private static func fix(metres: Double) throws -> SharedFix {
        try SharedFix(
            latitude: self.latitude + metres / 111_000,
            longitude: self.longitude,
            horizontalAccuracy: 5,
            time: .now
        )
    }

    /// Enrols a person whose phone is registered under a token of its own.
    private static func enrol(
        _ number: UInt8,
        for dispatcher: PublicIdentity,
        in town: Town,
        port: Int
    ) async throws -> Sharer {
        let sharer = try Sharer(profile: town.profile("volunteer\(number)", port: port))
        try await sharer.register(deviceToken: Data(repeating: number, count: 32), topic: Town.topic)
        try await sharer.volunteer(
            on: VolunteerTerms(
                places: [(self.latitude, self.longitude)],
                hours: nil,
                resuscitates: true,
                fetchesDefibrillator: false,
                reach: 1500,
                dispatchers: [dispatcher]
            )
        )
        return sharer
    }

    /// The alert in a push, on the phone whose key opens it.
    private static func receive(_ payload: [UInt8], _ phones: [Sharer]) throws -> (Sharer, EmergencyAlert)? {
        let json = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:]
        for phone in phones {
            if let alert = try phone.receiveAlert(pushPayload: json) { return (phone, alert) }
        }
        return nil
    }

    /// Goal: of four volunteers, one is away, one declines, one accepts and arrives, and one is stood down.
    ///
    /// The end reaches the one who came.
    @Test func aVolunteerComes() async throws {
        let town = try Town()
        // The keys are made before the server, whose configuration names the dispatcher's.
        let dispatcher = try town.profile("dispatcher", port: 1).identity.publicIdentity
        let area = try #require(Dispatcher(key: dispatcher, latitude: 53.5, longitude: 10, radius: 50_000))
        try await town.withServer(dispatchers: [dispatcher: area]) { port in
            var phones: [Sharer] = []
            for number in 1...4 {
                phones.append(try await Self.enrol(UInt8(number), for: dispatcher, in: town, port: port))
            }
            let desk = try IncidentDispatcher(profile: town.profile("dispatcher", port: port))
            let place = try PatientPlace(latitude: Self.latitude, longitude: Self.longitude, note: "3rd floor")
            let incident = try await desk.open(at: place, priority: .arrest, responders: 1, needsAED: false)
            let updates = Mutex<[IncidentUpdate]>([])
            let following = Task {
                try await desk.follow(incident, explain: { Issue.record("\($0)") }) { update in
                    updates.withLock { $0.append(update) }
                    guard case .alert(let row) = update, row.state == .arrived, row.end == nil else { return }
                    Task { try await desk.end(incident.id, isFalseAlarm: false) }
                }
            }
            var alerted: [(phone: Sharer, id: AlertID)] = []
            var ends: [AlertID: EmergencyAlert.End] = [:]
            for await push in town.push.pushes {
                guard let (phone, alert) = try Self.receive(push.payload, phones) else { continue }
                if case .ended(let end) = alert.state { ends[alert.id] = end }
                if alert.state == .locating { alerted.append((phone, alert.id)) }
                // All four are alerted at once; each answers when its push arrives.
                if alert.state == .locating, alerted.count == 4 { try await Self.answer(alerted) }
                if ends.count == 2 { break }
            }
            #expect(ends[alerted[2].id] == .stoodDown && ends[alerted[3].id] == .enough)
            try await following.value
            let all = updates.withLock { $0 }
            #expect(all.last == .ended(.stoodDown))
            let seen = Set(all.compactMap { if case .alert(let row) = $0, row.fix != nil { row.alert } else { nil } })
            #expect(seen == [alerted[2].id])
            // The server's log has no position.
            #expect(!town.log.text.contains("53.55"))
        }
    }

    private static func answer(_ alerted: [(phone: Sharer, id: AlertID)]) async throws {
        for (index, metres) in [1600.0, 300, 200, 900].enumerated() {
            let (phone, id) = alerted[index]
            let alert = try #require(phone.profile.alerts().first { $0.id == id })
            let fix = try self.fix(metres: metres)
            let answered = try await phone.respond(to: alert) { fix }
            #expect(answered.state == (index == 0 ? .outOfRange : .asking))
        }
        try await alerted[1].phone.refuse(alerted[1].id)
        try await alerted[2].phone.accept(alerted[2].id)
        try await alerted[2].phone.move(toward: alerted[2].id, at: self.fix(metres: 20))
        try await alerted[2].phone.arrive(at: alerted[2].id)
    }
}
