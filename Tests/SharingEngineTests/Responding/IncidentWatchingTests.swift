import Testing
import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// A dispatcher's program while an incident is open.
struct IncidentWatchingTests {
    private let wall = WallTime(seconds: 1_800_000_000)
    private let start = EngineInstant(sinceStart: .zero)
    private let incident = IncidentID(high: 1, low: 2)

    private func began(age: Duration = .zero) throws -> IncidentWatching {
        let dispatcher = try #require(PublicIdentity(bytes: Array(repeating: 1, count: PublicIdentity.byteCount)))
        let incident = try #require(
            Incident(
                id: self.incident,
                cell: Grid.Cell(row: 10_000, column: 20_000),
                priority: .arrest,
                responders: 1,
                needsAED: false,
                signed: self.wall - age
            )
        )
        let opening = IncidentOpening(incident: incident, dispatcher: dispatcher, suite: .x25519, publicKey: [9])
        let (machine, effects) = IncidentWatching.began(opening, now: Now(monotonic: self.start, wall: self.wall))
        #expect(effects == [.watch])
        return machine
    }

    private func event(
        _ state: Responder.State,
        alert number: UInt64 = 1,
        end: Responder.End? = nil,
        of incident: IncidentID? = nil
    ) -> IncidentEvent {
        let alert = IncidentEvent.Alert(
            id: AlertID(high: 0, low: number),
            role: .patient,
            state: state,
            key: [7],
            end: end
        )
        return IncidentEvent(incident: incident ?? self.incident, subject: .alert(alert), time: self.wall)
    }

    private func event(incident state: IncidentEvent.State) -> IncidentEvent {
        IncidentEvent(incident: self.incident, subject: .incident(state), time: self.wall)
    }

    /// Goal: the position is sealed once for each chosen volunteer, also if the stream is read again, and once more after a failure.
    @Test func aPositionIsSealedOnce() throws {
        var watching = try self.began()
        let chosen = IncidentWatching.Input.event(self.event(.chosen), fix: nil)
        let seal = IncidentWatching.Effect.seal(AlertID(high: 0, low: 1), .patient, key: [7])
        let first = watching.handle(chosen, now: self.start)
        #expect(first.first == seal && first.count == 2)
        #expect(watching.handle(.streamLost, now: self.start) == [])
        let later = self.start.advanced(by: .seconds(1))
        #expect(watching.deadline == later)
        #expect(watching.handle(.deadlineReached, now: self.start) == [])
        #expect(watching.handle(.deadlineReached, now: later) == [.watch])
        // The stream begins with the present state.
        #expect(watching.handle(chosen, now: later) == [])
        #expect(watching.handle(.sealingFailed(AlertID(high: 0, low: 1)), now: later) == [])
        #expect(watching.handle(chosen, now: later) == [seal])
        // An alert that has its position, or ended, needs none.
        for event in [self.event(.alerted, alert: 2), self.event(.chosen, alert: 3, end: .undelivered)] {
            let effects = watching.handle(.event(event, fix: nil), now: later)
            #expect(effects.count == 1)
            guard case .show = effects.first else { throw NotShown() }
        }
    }

    private struct NotShown: Error {}

    /// Goal: each state is shown once, with the travel time and the last position.
    @Test func eachChangeIsShownOnce() throws {
        var watching = try self.began()
        let fix = try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: self.wall)
        var rows: [IncidentUpdate.Row] = []
        let states: [(Responder.State, SharedFix?)] = [
            (.alerted, nil), (.band(.within6), nil), (.band(.within6), nil), (.accepted, nil), (.accepted, fix),
            (.enRoute, fix), (.enRoute, fix), (.arrived, nil),
        ]
        for (state, fix) in states {
            for effect in watching.handle(.event(self.event(state), fix: fix), now: self.start) {
                guard case .show(.alert(let row)) = effect else { throw NotShown() }
                rows.append(row)
            }
        }
        #expect(rows.map(\.state) == [.alerted, .band(.within6), .accepted, .accepted, .enRoute, .arrived])
        #expect(rows.map(\.band) == [nil] + Array(repeating: .within6, count: 5))
        #expect(rows.map(\.fix) == [nil, nil, nil, fix, fix, fix])
        let other = self.event(.alerted, of: IncidentID(high: 9, low: 9))
        #expect(watching.handle(.event(other, fix: nil), now: self.start) == [])
    }

    @Test func theProgramEndsWithTheIncident() throws {
        for end in [IncidentEnd.stoodDown, .cancelled, .expired, .displaced] {
            var watching = try self.began()
            #expect(watching.handle(.event(self.event(incident: .open), fix: nil), now: self.start) == [])
            let exhausted = IncidentWatching.Input.event(self.event(incident: .exhausted), fix: nil)
            #expect(watching.handle(exhausted, now: self.start) == [.show(.exhausted)])
            #expect(watching.handle(exhausted, now: self.start) == [])
            let ended = IncidentWatching.Input.event(self.event(incident: .ended(end)), fix: nil)
            #expect(watching.handle(ended, now: self.start) == [.end(.ended(end))])
            #expect(watching.state == .ended && watching.deadline == nil)
            #expect(watching.handle(.event(self.event(.alerted), fix: nil), now: self.start) == [])
        }
        var refused = try self.began()
        #expect(refused.handle(.streamRefused("no"), now: self.start) == [.end(.failed("no"))])
    }

    /// Goal: an incident that the server forgot ends by its time, on a stream and between two.
    @Test(arguments: [true, false]) func anIncidentEndsByItsTime(isLost: Bool) throws {
        var watching = try self.began(age: .seconds(600))
        let end = self.start.advanced(by: .seconds(3010))
        #expect(watching.deadline == end)
        if isLost { #expect(watching.handle(.streamLost, now: end) == []) }
        #expect(watching.deadline == end)
        #expect(watching.handle(.deadlineReached, now: end) == [.end(.ended(.expired))])
    }

    /// Goal: a dishonest server cannot fill the memory.
    @Test func theNumberOfAlertsIsLimited() throws {
        var watching = try self.began()
        for number in 0..<UInt64(DispatchPolicy().alertsMax) {
            #expect(watching.handle(.event(self.event(.alerted, alert: number), fix: nil), now: self.start).count == 1)
        }
        #expect(watching.handle(.event(self.event(.alerted, alert: 1000), fix: nil), now: self.start) == [])
        #expect(watching.handle(.event(self.event(.silent), fix: nil), now: self.start).count == 1)
    }
}
