internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

/// Compares the set of conditions with a simple model that asks every condition about every fix.
@Suite struct CircularConditionsTests {
    @Test(arguments: 0..<8 as Range<UInt64>) func aRandomWalkCrossesAsInTheModel(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var walk = RandomWalk(&generator)
        var crossings = 0
        for _ in 0..<800 {
            walk.addOrRemove(&generator)
            walk.step(&generator)
            crossings += walk.told
            #expect(walk.told == walk.expected && walk.sameCrossings, "seed \(seed)")
            #expect(walk.set.count == walk.model.count)
        }
        for (key, entry) in walk.model { #expect(walk.set[key] == entry.belief) }
        #expect(crossings > 30, "a walk without crossings shows nothing: \(crossings)")
    }

    @Test func aReplacedConditionBeginsAnew() {
        var generator = SeededGenerator(seed: 3)
        var set = CircularConditions<Int>(policy: BeliefPolicy())
        let circle = generator.circle()
        set.add(1, circle: circle, belief: Belief(side: .inside))
        set.add(1, circle: circle, belief: Belief(side: nil))
        #expect(set.count == 1 && set[1] == Belief(side: nil))
        set.remove(1)
        set.remove(1)
        #expect(set.count == 0 && set[1] == nil)
        #expect(set.nearestBoundary(to: circle.center) == 50_000_000)
    }
}

/// A device walks and drives among circles that are added and removed, with measurement errors.
///
/// The set and the model receive the same fixes.
private struct RandomWalk {
    struct Entry {
        let circle: ConditionCircle
        var belief: Belief
    }

    var set = CircularConditions<Int>(policy: BeliefPolicy())
    var model: [Int: Entry] = [:]
    private(set) var told = 0
    private(set) var expected = 0
    private(set) var sameCrossings = true
    private var place: QuantizedCoordinate
    private let home: QuantizedCoordinate
    private var heading: Double = 0
    private var trail = Trail()
    private var now = Now(monotonic: EngineInstant(sinceStart: .seconds(1000)), wall: WallTime(seconds: 1_800_000_000))

    init(_ generator: inout SeededGenerator) {
        self.home = generator.point()
        self.place = self.home
        for _ in 0..<40 { self.add(&generator) }
    }

    private mutating func add(_ generator: inout SeededGenerator) {
        let center = self.home.moved(.random(in: 0...1500, using: &generator), azimuth: generator.azimuth())
        guard let circle = ConditionCircle(center: center, radius: .random(in: 10_000...800_000, using: &generator))
        else { return }
        let sides: [Side?] = [nil, .inside, .outside]
        let belief = Belief(side: sides.randomElement(using: &generator) ?? nil)
        let key = Int.random(in: 0..<80, using: &generator)
        self.set.add(key, circle: circle, belief: belief)
        self.model[key] = Entry(circle: circle, belief: belief)
    }

    mutating func addOrRemove(_ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: self.add(&generator)
        case 1:
            let key = Int.random(in: 0..<80, using: &generator)
            self.set.remove(key)
            self.model[key] = nil
        default: break
        }
    }

    mutating func step(_ generator: inout SeededGenerator) {
        (self.told, self.expected, self.sameCrossings) = (0, 0, true)
        let seconds = [1, 1, 1, 2, 40].randomElement(using: &generator) ?? 1
        let speed: Double = [0, 0, 1.4, 15].randomElement(using: &generator) ?? 0
        self.heading += 20 * generator.normal()
        if self.home.distance(to: self.place) > 2_500_000 { self.place = self.home }
        self.place = self.place.moved(speed * Double(seconds), azimuth: self.heading)
        self.now.monotonic = self.now.monotonic.advanced(by: .seconds(seconds))
        self.now.wall = self.now.wall.advanced(by: .seconds(seconds))
        let isGlitch = Int.random(in: 0..<15, using: &generator) == 0
        let error = abs(generator.normal()) * (isGlitch ? 200 : 4)
        let accuracies: [Int64?] = [nil, 2_000, 8_000, 60_000]
        let sighting = Sighting(
            point: self.place.moved(error, azimuth: generator.azimuth()),
            accuracy: accuracies.randomElement(using: &generator) ?? nil,
            speed: Bool.random(using: &generator) ? Int64(speed * 1000) : nil,
            time: self.now.wall,
            now: self.now,
            policy: self.set.policy
        )
        if let evidence = self.trail.silenceLasted(now: self.now.monotonic, policy: self.set.policy) {
            self.see(evidence)
        }
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.set.policy) else { return }
        self.see(evidence)
    }

    private mutating func see(_ evidence: Evidence) {
        let told = self.set.sightingArrived(evidence)
        var expected: [Int: Side] = [:]
        for (key, entry) in self.model {
            var belief = entry.belief
            if case .crossed(let side, _) = belief.sightingArrived(evidence, of: entry.circle, policy: self.set.policy)
            {
                expected[key] = side
            }
            self.model[key]?.belief = belief
        }
        self.compare(told, expected)
    }

    private mutating func compare(_ told: [CircularConditions<Int>.Crossing], _ expected: [Int: Side]) {
        self.told += told.count
        self.expected += expected.count
        self.sameCrossings = self.sameCrossings && told.allSatisfy { expected[$0.key] == $0.side }
    }
}

extension QuantizedCoordinate {
    fileprivate func distance(to other: QuantizedCoordinate) -> Int64 {
        Geodesic.inverse(from: self.coordinate, to: other.coordinate).distance.millimeters
    }
}
