import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// Random volunteers, incidents, answers, repeats and pauses, with auditors who see only the effects.
@Suite struct DispatchLivesTests {
    private struct Audit {
        /// All alerts, in the order in which they were chosen.
        var alerts: [(id: AlertID, volunteer: VolunteerID)] = []
        var volunteers: [AlertID: VolunteerID] = [:]
        var accepted: Set<AlertID> = []
        var revealed: Set<AlertID> = []
        var open: [VolunteerID: AlertID] = [:]
        var told: Set<AlertID> = []
        var woken: Set<AlertID> = []
        var wakes: [VolunteerID: [EngineInstant]] = [:]
        var census: [String: Int] = [:]

        mutating func check(_ effects: [Dispatch.Effect], now: Now, policy: DispatchPolicy) {
            for effect in effects {
                switch effect {
                case .choose(let id, let volunteer, _, _):
                    #expect(self.open[volunteer] == nil, "two alerts at once")
                    self.open[volunteer] = id
                    self.volunteers[id] = volunteer
                    self.alerts.append((id, volunteer))
                case .alert(let id, let volunteer, _, _):
                    self.census["alert", default: 0] += 1
                    #expect(self.open[volunteer] == id, "not chosen")
                    self.woken.insert(id)
                    self.wakes[volunteer, default: []].append(now.monotonic)
                    let wakes = self.wakes[volunteer, default: []].filter {
                        $0.duration(to: now.monotonic) < policy.day
                    }
                    #expect(wakes.count <= policy.wakesMax, "too many wakes")
                case .reveal(_, let id, _):
                    self.census["reveal", default: 0] += 1
                    #expect(self.accepted.contains(id), "the position of a person who did not accept")
                    self.revealed.insert(id)
                case .standDown(let id, let volunteer, let end):
                    #expect(end != .enough || !self.revealed.contains(id), "a person who was not chosen")
                    self.census["standDown", default: 0] += 1
                    #expect(self.volunteers[id] == volunteer && self.open[volunteer] == id)
                    #expect(self.woken.contains(id), "a person who was not woken")
                    self.told.insert(id)
                case .showEnd(_, let id, let end):
                    let volunteer = self.volunteers[id]
                    let isSilent = end == .byVolunteer || !self.woken.contains(id)
                    #expect(isSilent || self.told.contains(id), "an alert ended silently")
                    if let volunteer { self.open[volunteer] = nil }
                case .refuse: self.census["refuse", default: 0] += 1
                case .show, .showExhausted, .end: break
                }
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>) func auditorsAcceptRandomLives(seed: UInt64) {
        var policy = DispatchPolicy()
        policy.incidentsMax = 5
        var fixture = DispatchFixture(policy)
        fixture.generator = SeededGenerator(seed: seed)
        var random = SeededGenerator(seed: seed &* 1000)
        var audit = Audit()
        var incidents: UInt64 = 0
        for _ in 0..<1500 {
            var effects: [Dispatch.Effect] = []
            fixture.isSealing = Int.random(in: 0..<4, using: &random) > 0
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<4:
                let number = UInt64.random(in: 1...60, using: &random)
                let row = Int.random(in: -3...3, using: &random)
                effects = fixture.enroll(number...number, row: row, skills: [.cpr, .aed])
            case 4:
                let id = VolunteerID(high: 0, low: .random(in: 1...60, using: &random))
                // The server forgets a person who leaves, and so does the auditor.
                audit.wakes[id] = nil
                effects = fixture.give(.left(id))
            case 5:
                incidents += 1
                let priority = [Incident.Priority.arrest, .danger, .help].randomElement(using: &random) ?? .help
                let needsAED = Bool.random(using: &random)
                effects = fixture.open(incidents, priority: priority, responders: 2, needsAED: needsAED)
            case 6 where incidents > 0:
                let id = DispatchFixture.incident(.random(in: 1...incidents, using: &random))
                let isFalseAlarm = Bool.random(using: &random)
                effects = fixture.give(.closed(id, by: DispatchFixture.dispatcher.id, isFalseAlarm: isFalseAlarm))
            case 7..<10: effects = fixture.wait(.seconds(.random(in: 0...4000, using: &random)))
            default:
                let late = Int.random(in: 0..<5, using: &random) == 0
                let candidates = late ? audit.alerts : audit.alerts.filter { audit.open[$0.volunteer] == $0.id }
                guard let alert = candidates.randomElement(using: &random) else { continue }
                let answer = Self.answer(&random)
                // The auditor trusts the phone, not the machine: a position may be shown after the phone sent `accepted`.
                if case .accepted = answer { audit.accepted.insert(alert.id) }
                let number = UInt32.random(in: 1...9, using: &random)
                effects = fixture.give(.answered(alert.id, by: alert.volunteer, answer, number: number))
            }
            audit.check(effects, now: fixture.now, policy: policy)
        }
        audit.check(fixture.wait(.seconds(7200)), now: fixture.now, policy: policy)
        #expect(audit.open.isEmpty, "an alerted person never learned how it ended")
        for kind in ["alert", "reveal", "standDown", "refuse"] {
            #expect(audit.census[kind, default: 0] > 0, "\(kind) never happened")
        }
    }

    private static func answer(_ random: inout SeededGenerator) -> Responder.Answer {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: .band(Responder.Band.allCases.randomElement(using: &random) ?? .longer)
        case 1: .outOfRange
        case 2: .refused
        case 3: .accepted(sealed: [1])
        case 4: .enRoute(sealed: [2])
        case 5: .arrived
        default: .withdrawn
        }
    }
}
