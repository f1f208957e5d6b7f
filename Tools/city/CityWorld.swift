import WhereaboutsGeodesy
import WhereaboutsVocabulary

/// One volunteer near one incident, with everything that chance decides, so that each policy meets the same person.
struct Person {
    /// The distance to the patient, in metres.
    var distance: Double
    /// The cell that the person published.
    var cell: Grid.Cell
    /// Whether the person would accept.
    var accepts: Bool
    /// Whether a person who does not accept says so.
    var refuses: Bool
    /// The time from the alert to the answer, and from the alert to the first step.
    var answer: Duration
    var turnout: Duration
    /// Metres in a second, along the streets.
    var speed: Double

    /// The time from the first step to the patient; streets are 1.3 times as long as the straight line (our choice).
    var travel: Duration { .milliseconds(Int(self.distance * 1.3 / self.speed * 1000)) }
}

/// The setting of many incidents.
struct Setting: Hashable, Codable {
    /// Volunteers in a square kilometre.
    var density: Double
    /// The share of alerted people who accept.
    var acceptance: Double
}

/// One incident in the middle of a square of 6 km.
struct CityWorld {
    /// At the equator, all rows near each other have the same columns.
    static let center = Grid.Cell(row: 10_000, column: 5000)
    static let side = 6000.0
    /// The responders that an incident needs.
    static let needed = 2

    var people: [Person] = []

    init(_ setting: Setting, using random: inout SeededGenerator) {
        let expected = setting.density * Self.side * Self.side / 1_000_000
        // Rounding at random keeps the mean of thin densities.
        let count = Int(expected + Double.random(in: 0..<1, using: &random))
        let incident = (Double.random(in: -500..<500, using: &random), Double.random(in: -500..<500, using: &random))
        for _ in 0..<count {
            let x = Double.random(in: -Self.side / 2..<Self.side / 2, using: &random)
            let y = Double.random(in: -Self.side / 2..<Self.side / 2, using: &random)
            // Three of ten people are not in the cell that they published (our choice).
            let isAway = Double.random(in: 0..<1, using: &random) < 0.3
            let shownX = isAway ? Double.random(in: -Self.side / 2..<Self.side / 2, using: &random) : x
            let shownY = isAway ? Double.random(in: -Self.side / 2..<Self.side / 2, using: &random) : y
            let cell = Grid.Cell(
                row: Self.center.row + Int((shownY / 1000).rounded()),
                column: Self.center.column + Int((shownX / 1000).rounded())
            )
            // The median turnout of 1:45 is published; the spread, and the third of it until the answer, are our choice.
            let turnout = 105 * Self.logNormal(spread: 0.5, &random)
            self.people.append(
                Person(
                    distance: ((x - incident.0) * (x - incident.0) + (y - incident.1) * (y - incident.1)).squareRoot(),
                    cell: cell,
                    accepts: Double.random(in: 0..<1, using: &random) < setting.acceptance,
                    refuses: Double.random(in: 0..<1, using: &random) < 0.3,
                    answer: .milliseconds(Int(turnout * 300)),
                    turnout: .milliseconds(Int(turnout * 1000)),
                    speed: Double.random(in: 1.8..<5, using: &random)
                )
            )
        }
    }

    /// A draw with the median 1: the sum of twelve uniform draws is nearly normal, and 1 + s·z + (s·z)²/2 + … is the exponential.
    private static func logNormal(spread: Double, _ random: inout SeededGenerator) -> Double {
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        var (term, sum) = (1.0, 1.0)
        for order in 1...30 {
            term *= spread * normal / Double(order)
            sum += term
        }
        return sum
    }
}

/// The result of one incident.
struct Outcome {
    var arrivals: [Duration] = []
    var alerts = 0
    var disclosed = 0
}

extension CityWorld {
    private enum Event {
        case located(Int)
        case answer(Int)
        case deadline
    }

    /// Plays half an hour with one policy.
    func play(_ policy: any AlertPolicy) -> Outcome {
        var policy = policy
        var outcome = Outcome(disclosed: policy.disclosedAtOnce)
        var events = EventHeap<EngineInstant, Event>()
        var released: Set<Int> = []
        var arrivals: [Int: Duration] = [:]
        var now = EngineInstant(sinceStart: .zero)
        let end = now.advanced(by: .seconds(1800))
        func apply(_ orders: AlertOrders) {
            released.formUnion(orders.released)
            outcome.alerts += orders.alerted.count
            outcome.disclosed += orders.disclosed
            // A person who accepted, and was stood down for a nearer one, stays.
            for who in orders.released { arrivals[who] = nil }
            for who in orders.alerted {
                let person = self.people[who]
                // A phone finds its position in three seconds. If it is out of range, it refuses without asking the
                // person.
                let located = Duration.seconds(3)
                if policy.isOutOfRange(person) {
                    events.insert(.answer(who), at: now.advanced(by: located))
                    continue
                }
                if policy.asksPhones { events.insert(.located(who), at: now.advanced(by: located)) }
                guard person.accepts || person.refuses else { continue }
                let answer = policy.asksPhones ? max(person.answer, located + .seconds(1)) : person.answer
                events.insert(.answer(who), at: now.advanced(by: answer))
            }
            if let deadline = policy.deadline { events.insert(.deadline, at: max(deadline, now)) }
        }
        apply(policy.begin(now: now))
        while let (time, event) = events.removeNext(by: end) {
            now = time
            switch event {
            case .deadline:
                if let deadline = policy.deadline, deadline <= now { apply(policy.deadlineReached(now: now)) }
            case .located(let who):
                guard !released.contains(who) else { continue }
                apply(policy.located(who, metres: self.people[who].distance, now: now))
            case .answer(let who):
                guard !released.contains(who) else { continue }
                let person = self.people[who]
                let comes = person.accepts && !policy.isOutOfRange(person)
                if comes {
                    let leaves = now.advanced(by: person.turnout - person.answer)
                    arrivals[who] = leaves.advanced(by: person.travel).sinceStart
                }
                apply(policy.answered(who, accepts: comes, now: now))
            }
        }
        outcome.arrivals = arrivals.values.sorted()
        return outcome
    }
}
