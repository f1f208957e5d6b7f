import WhereaboutsGeodesy
import WhereaboutsSharingEngine
import WhereaboutsVocabulary

/// The people to alert, and the people who need not come.
struct AlertOrders {
    var alerted: [Int] = []
    var released: [Int] = []
    /// The number of people whose position somebody learned.
    var disclosed = 0
}

/// A rule that decides who is alerted when.
protocol AlertPolicy {
    var name: String { get }
    /// The positions that the policy must know before it alerts anyone.
    var disclosedAtOnce: Int { get }
    /// Whether the phones of alerted people compute their travel time first.
    var asksPhones: Bool { get }
    var deadline: EngineInstant? { get }
    func isOutOfRange(_ person: Person) -> Bool
    mutating func located(_ who: Int, metres: Double, now: EngineInstant) -> AlertOrders
    mutating func begin(now: EngineInstant) -> AlertOrders
    mutating func answered(_ who: Int, accepts: Bool, now: EngineInstant) -> AlertOrders
    mutating func deadlineReached(now: EngineInstant) -> AlertOrders
}

/// Policies that know where everybody is: the server keeps all positions near the patient.
///
/// Waves of the nearest people within a circle follow each other until enough people accepted. The policy "all" is one
/// wave without an end, "k nearest" is one wave of k people. Several waves are phased policies as van den Berg et al.
/// compare them. The sizes and pauses here are our choice, not theirs.
struct Waves: AlertPolicy {
    /// The radius of the circle, in metres; services use 1.3 to 1.8 km.
    static let radius = 1500.0

    let name: String
    let sizes: [Int]
    let pause: Duration
    private var waiting: [Int]
    private var wave = 0
    private var accepted = 0
    private(set) var deadline: EngineInstant?
    let disclosedAtOnce: Int
    let asksPhones = false

    init(_ name: String, sizes: [Int], pause: Duration, in world: CityWorld) {
        let near = world.people.indices.filter { world.people[$0].distance <= Self.radius }
        self.name = name
        self.sizes = sizes
        self.pause = pause
        self.disclosedAtOnce = near.count
        self.waiting = near.sorted { (world.people[$0].distance, $0) > (world.people[$1].distance, $1) }
    }

    func isOutOfRange(_ person: Person) -> Bool { false }

    func located(_ who: Int, metres: Double, now: EngineInstant) -> AlertOrders { AlertOrders() }

    mutating func begin(now: EngineInstant) -> AlertOrders { self.nextWave(now: now) }

    mutating func answered(_ who: Int, accepts: Bool, now: EngineInstant) -> AlertOrders {
        self.accepted += accepts ? 1 : 0
        return AlertOrders()
    }

    mutating func deadlineReached(now: EngineInstant) -> AlertOrders { self.nextWave(now: now) }

    private mutating func nextWave(now: EngineInstant) -> AlertOrders {
        self.deadline = nil
        guard self.accepted < CityWorld.needed, self.wave < self.sizes.count else { return AlertOrders() }
        let size = self.sizes[self.wave]
        let alerted = Array(self.waiting.suffix(size).reversed())
        self.waiting.removeLast(min(size, self.waiting.count))
        self.wave += 1
        if self.wave < self.sizes.count, !self.waiting.isEmpty { self.deadline = now.advanced(by: self.pause) }
        return AlertOrders(alerted: alerted)
    }
}

/// The machine that the server ships: it sees cells, and the phones see positions.
struct Shipped: AlertPolicy {
    private static let dispatcher = Dispatcher(
        id: DispatcherID(high: 0, low: 0),
        center: CityWorld.center,
        radius: 10_000
    )

    let name: String
    let disclosedAtOnce = 0
    let asksPhones = true
    private var dispatch: Dispatch
    private var generator: SeededGenerator
    private var alerts: [UInt64: AlertID] = [:]
    private let reach: Double

    init(
        _ name: String,
        policy: DispatchPolicy = DispatchPolicy(),
        reach: Int = 2000,
        in world: CityWorld,
        seed: UInt64
    ) {
        self.name = name
        self.reach = Double(reach)
        self.dispatch = Dispatch(policy: policy)
        self.generator = SeededGenerator(seed: seed)
        for (number, person) in world.people.enumerated() {
            let id = VolunteerID(high: 0, low: UInt64(number))
            guard let volunteer = Volunteer(id: id, cells: [person.cell], hours: nil, skills: .cpr, reach: reach) else {
                preconditionFailure("the city has valid volunteers")
            }
            _ = self.give(.enrolled(volunteer), now: EngineInstant(sinceStart: .zero))
        }
    }

    var deadline: EngineInstant? { self.dispatch.deadline }

    func isOutOfRange(_ person: Person) -> Bool { person.distance > self.reach }

    mutating func begin(now: EngineInstant) -> AlertOrders {
        let id = IncidentID(high: 0, low: 0)
        let incident = Incident(
            id: id,
            cell: CityWorld.center,
            priority: .arrest,
            responders: CityWorld.needed,
            needsAED: false,
            signed: WallTime(seconds: 0)
        )
        guard let incident else { preconditionFailure("the city has valid incidents") }
        return self.give(.opened(incident, by: Self.dispatcher), now: now)
    }

    mutating func located(_ who: Int, metres: Double, now: EngineInstant) -> AlertOrders {
        self.answer(who, .band(Responder.Band(metres: Int(metres))), number: 1, now: now)
    }

    mutating func answered(_ who: Int, accepts: Bool, now: EngineInstant) -> AlertOrders {
        self.answer(who, accepts ? .accepted(sealed: []) : .refused, number: 2, now: now)
    }

    private mutating func answer(
        _ who: Int,
        _ answer: Responder.Answer,
        number: UInt32,
        now: EngineInstant
    ) -> AlertOrders {
        guard let alert = self.alerts[UInt64(who)] else { return AlertOrders() }
        let volunteer = VolunteerID(high: 0, low: UInt64(who))
        return self.give(.answered(alert, by: volunteer, answer, number: number), now: now)
    }

    mutating func deadlineReached(now: EngineInstant) -> AlertOrders { self.give(.deadlineReached, now: now) }

    private mutating func give(_ input: Dispatch.Input, now: EngineInstant) -> AlertOrders {
        let time = Now(monotonic: now, wall: WallTime(seconds: 0).advanced(by: now.sinceStart))
        var orders = AlertOrders()
        for effect in self.dispatch.handle(input, now: time, using: &self.generator) {
            switch effect {
            case .choose(let alert, _, let incident, let role):
                let sealed = Dispatch.Input.sealed(alert, of: incident, role, by: Self.dispatcher.id)
                let more = self.give(sealed, now: now)
                orders.alerted += more.alerted
            case .alert(let alert, let volunteer, _, _):
                self.alerts[volunteer.low] = alert
                orders.alerted.append(Int(volunteer.low))
            case .standDown(_, let volunteer, _): orders.released.append(Int(volunteer.low))
            case .refuse(let refusal): preconditionFailure("the city broke a rule: \(refusal)")
            case .reveal: orders.disclosed += 1
            case .show, .showEnd, .showExhausted, .end: break
            }
        }
        return orders
    }
}
