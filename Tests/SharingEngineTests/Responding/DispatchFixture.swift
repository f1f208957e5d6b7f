import WhereaboutsGeodesy
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// A dispatch with a clock and a generator, and short names for its inputs.
struct DispatchFixture {
    /// At the equator, all rows near each other have the same columns.
    static let home = Grid.Cell(row: 10_000, column: 5000)
    static let dispatcher = Dispatcher(id: DispatcherID(high: 1, low: 1), center: Self.home, radius: 50_000)

    /// A volunteer whom the machine chose.
    struct Chosen: Equatable {
        let id: AlertID
        let volunteer: VolunteerID
        let incident: IncidentID
        var role: Responder.Role
    }

    var dispatch: Dispatch
    var isSealing = true
    var generator = SeededGenerator(seed: 42)
    var now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(seconds: 1_800_000_000))

    init(_ policy: DispatchPolicy = DispatchPolicy()) { self.dispatch = Dispatch(policy: policy) }

    /// Feeds an input; the dispatcher seals the position to each chosen volunteer at once, unless ``isSealing`` is false.
    mutating func give(_ input: Dispatch.Input) -> [Dispatch.Effect] {
        let effects = self.dispatch.handle(input, now: self.now, using: &self.generator)
        guard self.isSealing else { return effects }
        return effects
            + effects.chosen.flatMap { alert in
                self.seal(alert)
            }
    }

    /// Seals the position to a chosen volunteer.
    mutating func seal(_ alert: Chosen, by dispatcher: DispatcherID = Self.dispatcher.id) -> [Dispatch.Effect] {
        let input = Dispatch.Input.sealed(alert.id, of: alert.incident, alert.role, by: dispatcher)
        return self.dispatch.handle(input, now: self.now, using: &self.generator)
    }

    @discardableResult
    mutating func enroll(
        _ numbers: ClosedRange<UInt64>,
        row: Int = 0,
        skills: Volunteer.Skills = [.cpr],
        reach: Int = 7000,
        hours: DayHours? = nil
    ) -> [Dispatch.Effect] {
        var effects: [Dispatch.Effect] = []
        for number in numbers {
            let cell = Grid.Cell(row: Self.home.row + row, column: Self.home.column)
            let id = VolunteerID(high: 0, low: number)
            guard let volunteer = Volunteer(id: id, cells: [cell], hours: hours, skills: skills, reach: reach) else {
                preconditionFailure("the fixture's volunteers are valid")
            }
            effects += self.give(.enrolled(volunteer))
        }
        return effects
    }

    mutating func open(
        _ number: UInt64 = 1,
        at cell: Grid.Cell = Self.home,
        priority: Incident.Priority = .arrest,
        responders: Int = 1,
        needsAED: Bool = false,
        age: Duration = .zero
    ) -> [Dispatch.Effect] {
        guard
            let incident = Incident(
                id: Self.incident(number),
                cell: cell,
                priority: priority,
                responders: responders,
                needsAED: needsAED,
                signed: self.now.wall - age
            )
        else { preconditionFailure("the fixture's incidents are valid") }
        return self.give(.opened(incident, by: Self.dispatcher))
    }

    mutating func answer(
        _ alert: (id: AlertID, volunteer: UInt64),
        _ answer: Responder.Answer,
        number: UInt32 = 1
    ) -> [Dispatch.Effect] {
        self.give(.answered(alert.id, by: VolunteerID(high: 0, low: alert.volunteer), answer, number: number))
    }

    mutating func wait(_ duration: Duration) -> [Dispatch.Effect] {
        self.now.monotonic = self.now.monotonic.advanced(by: duration)
        self.now.wall = self.now.wall.advanced(by: duration)
        return self.give(.deadlineReached)
    }

    static func incident(_ number: UInt64) -> IncidentID { IncidentID(high: 7, low: number) }
}

extension [Dispatch.Effect] {
    /// The chosen volunteers.
    var chosen: [DispatchFixture.Chosen] {
        self.compactMap { effect in
            guard case .choose(let id, let volunteer, let incident, let role) = effect else { return nil }
            return .init(id: id, volunteer: volunteer, incident: incident, role: role)
        }
    }

    /// The alerts, with the numbers of the volunteers.
    var alerts: [(id: AlertID, volunteer: UInt64)] {
        self.compactMap { effect in
            guard case .alert(let id, let volunteer, _, _) = effect else { return nil }
            return (id, volunteer.low)
        }
    }

    /// The stood-down volunteers' numbers, ascending, with the reason.
    func stoodDown(_ end: Responder.End) -> [UInt64] {
        self.compactMap { effect in
            guard case .standDown(_, let volunteer, end) = effect else { return nil }
            return volunteer.low
        }.sorted()
    }
}
