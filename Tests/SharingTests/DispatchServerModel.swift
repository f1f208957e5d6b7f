internal import Foundation
internal import Synchronization
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// A server for volunteers and dispatchers in memory, with the real server's state machines and without its files,
/// clocks and limits.
final class DispatchServerModel: ServerTransport {
    private struct State {
        var dispatch: Dispatch
        var admission: DispatchAdmission
        var generator = SeededGenerator(seed: 42)
        /// The keys of the phones, by person.
        var keys: [PublicIdentity: [UInt8]] = [:]
        var people: [VolunteerID: PublicIdentity] = [:]
        var openings: [IncidentID: Signed<IncidentOpening>] = [:]
        var alerts: [AlertID: (volunteer: VolunteerID, event: IncidentEvent.Alert, end: Responder.End?)] = [:]
        var events: [[UInt8]] = []
        var readers: [AsyncStream<[UInt8]>.Continuation] = []
        /// All bytes that came from dispatchers and phones.
        var received: [UInt8] = []
        /// The signed message that is being handled.
        var sealedAlert: Signed<SealedAlert>?
    }

    private let state: Mutex<State>
    /// The payloads of the pushes, each with the person whose phone receives it.
    let pushes: AsyncStream<(person: PublicIdentity, payload: Data)>
    private let push: AsyncStream<(person: PublicIdentity, payload: Data)>.Continuation
    static let topic = "a.b"

    init(dispatchers: [PublicIdentity: Dispatcher], policy: DispatchPolicy) {
        let admission = DispatchAdmission(dispatchers: dispatchers, policy: policy)
        self.state = Mutex(State(dispatch: Dispatch(policy: policy), admission: admission))
        (self.pushes, self.push) = AsyncStream.makeStream()
    }

    /// Everything that the server received, so that a test can search it for secrets.
    var received: [UInt8] { self.state.withLock { $0.received } }

    /// Ends the pushes.
    func stop() { self.push.finish() }

    func register(_ person: PublicIdentity, key: [UInt8]) { self.state.withLock { $0.keys[person] = key } }

    func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
        let (path, body) = (URL(string: request.url)?.path ?? "", request.body ?? [])
        let clock = ProcessClock()
        return try self.state.withLock { state in
            state.received += body
            let message = try self.message(path, body, &state, now: clock.now)
            guard case .handle(let input) = message else { return ServerReply(status: 403) }
            if case .answered(let alert, _, _, _) = input, let end = state.alerts[alert]?.end {
                return ServerReply(status: 200, body: Array(#"{"ended":\#(end.number)}"#.utf8))
            }
            let effects = state.dispatch.handle(input, now: clock.now, using: &state.generator)
            for effect in effects { try self.carryOut(effect, &state) }
            let isRefused = effects.contains { if case .refuse = $0 { true } else { false } }
            return ServerReply(status: isRefused ? 409 : 204)
        }
    }

    private func message(
        _ path: String,
        _ body: [UInt8],
        _ state: inout State,
        now: Now
    ) throws -> DispatchAdmission.OnMessage {
        if path == "/v1/responders" {
            let message = try Signed<Enrolment>(bytes: body).verified()
            guard state.keys[message.value.person] != nil else { return .ignore }
            let admitted = state.admission.enrolmentReceived(message, now: now, using: &state.generator)
            if case .handle(.enrolled(let volunteer)) = admitted { state.people[volunteer.id] = message.value.person }
            return admitted
        }
        if path == "/v1/responders/departures" {
            return state.admission.departureReceived(try Signed<Departure>(bytes: body).verified(), now: now)
        }
        if path == "/v1/incidents" {
            let message = try Signed<IncidentOpening>(bytes: body).verified()
            state.openings[message.value.incident.id] = message.signed
            return state.admission.openingReceived(message)
        }
        if path.hasSuffix("/end") {
            return state.admission.closingReceived(try Signed<IncidentClosing>(bytes: body).verified())
        }
        if path.hasSuffix("/response") {
            return state.admission.replyReceived(try Signed<ResponderReply>(bytes: body).verified())
        }
        state.sealedAlert = try Signed<SealedAlert>(bytes: body)
        return state.admission.sealingReceived(try Signed<SealedAlert>(bytes: body).verified())
    }

    private func carryOut(_ effect: Dispatch.Effect, _ state: inout State) throws {
        switch effect {
        case .choose(let id, let volunteer, let incident, let role):
            let key = state.people[volunteer].flatMap { state.keys[$0] } ?? []
            let alert = IncidentEvent.Alert(id: id, role: role, state: .chosen, key: key)
            state.alerts[id] = (volunteer, alert, nil)
            try self.show(.alert(alert), of: incident, &state)
        case .alert(let id, let volunteer, let incident, _):
            guard let alert = state.sealedAlert, let opening = state.openings[incident], alert.value.alert == id else {
                return
            }
            try self.push(.alert(alert, of: opening), to: volunteer, state)
        case .show(let incident, let id, let new): try self.change(id, of: incident, &state) { $0.state = new }
        case .reveal(let incident, let id, let sealed):
            try self.change(id, of: incident, &state) { $0.position = sealed }
        case .standDown(let id, let volunteer, let end): try self.push(.ended(id, end), to: volunteer, state)
        case .showEnd(let incident, let id, let end):
            state.alerts[id]?.end = end
            try self.change(id, of: incident, &state) { $0.end = end }
        case .showExhausted(let incident): try self.show(.incident(.exhausted), of: incident, &state)
        case .end(let incident, let end): try self.show(.incident(.ended(end)), of: incident, &state)
        case .refuse: break
        }
    }

    private func change(
        _ id: AlertID,
        of incident: IncidentID,
        _ state: inout State,
        _ body: (inout IncidentEvent.Alert) -> Void
    ) throws {
        guard var known = state.alerts[id] else { return }
        body(&known.event)
        state.alerts[id] = known
        try self.show(.alert(known.event), of: incident, &state)
    }

    private func show(_ subject: IncidentEvent.Subject, of incident: IncidentID, _ state: inout State) throws {
        let event = IncidentEvent(incident: incident, subject: subject, time: .now)
        let bytes = [UInt8](try JSONEncoder().encode(Wire.IncidentEvent(event)))
        state.events.append(bytes)
        for reader in state.readers { reader.yield(bytes) }
    }

    private func push(_ notice: ResponderNotice, to volunteer: VolunteerID, _ state: State) throws {
        guard let person = state.people[volunteer], let key = state.keys[person] else { return }
        let sealed = try SealedPush.seal(notice, to: key, topic: Self.topic, HPKESealing())
        let payload = ["whereabouts": ["sealed": Base64URL.text(of: sealed)]]
        self.push.yield((person, try JSONEncoder().encode(payload)))
    }

    func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int {
        let token = (request.authorization ?? "").dropFirst("Whereabouts ".count)
        _ = try Signed<IncidentsPermit>(bytes: Base64URL.bytes(of: String(token)) ?? []).verified()
        let (events, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        self.state.withLock { state in
            for event in state.events { continuation.yield(event) }
            state.readers.append(continuation)
        }
        for await event in events { try await handle(Array("data: ".utf8) + event + Array("\n\n".utf8)) }
        return 200
    }
}
