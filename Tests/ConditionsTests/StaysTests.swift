internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsConditions

/// Tests for stays with noise, pauses and walks: each stay has one arrival and one departure, and a walk has neither.
@Suite struct StaysTests {
    /// A device that is somewhere, and its fixes.
    private struct Traveller {
        var stays = Stays(policy: TravelPolicy(), beliefs: BeliefPolicy())
        var trail = Trail()
        var random: SeededGenerator
        var second = 0.0
        /// Metres north.
        var place = 0.0
        var told: [Stays.OnSighting] = []

        private var now: Now {
            Now(
                monotonic: EngineInstant(sinceStart: .milliseconds(Int64(self.second * 1000))),
                wall: WallTime(timeIntervalSince1970: 1_700_000_000 + self.second)
            )
        }

        /// Stays at a place, or walks at a speed, with a fix every that many seconds and such errors along each axis.
        mutating func live(_ seconds: Int, speed: Double = 0, every: Int = 5, sigma: Double = 5) {
            for step in 0..<(seconds / every) {
                self.second += Double(every)
                self.place += speed * Double(every)
                if let evidence = self.trail.silenceLasted(now: self.now.monotonic, policy: BeliefPolicy()) {
                    self.take(self.stays.sightingArrived(evidence, at: self.now.wall))
                }
                let error = (self.random.normal() * sigma, self.random.normal() * sigma)
                let point = QuantizedCoordinate(latitude: 500_000_000, longitude: 80_000_000)
                    .moved(self.place + error.0, azimuth: 0).moved(error.1)
                let sighting = Sighting(
                    point: point,
                    accuracy: Int64(sigma * 1414),
                    time: self.now.wall,
                    now: self.now,
                    policy: BeliefPolicy()
                )
                guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: BeliefPolicy()) else {
                    Issue.record("fix \(step) is of no use")
                    continue
                }
                self.take(self.stays.sightingArrived(evidence, at: self.now.wall))
            }
        }

        private mutating func take(_ action: Stays.OnSighting) {
            if action != .ignore { self.told.append(action) }
        }

        var words: String {
            self.told.map { action in
                switch action {
                case .ignore: ""
                case .arrive: "arrive"
                case .depart: "depart"
                }
            }.joined(separator: " ")
        }
    }

    @Test(arguments: 0..<30) func eachStayIsOneArrivalAndOneDeparture(_ seed: UInt64) {
        var it = Traveller(random: SeededGenerator(seed: seed))
        let sigma = [3.0, 10, 25][Int(seed % 3)]
        for _ in 0..<3 {
            it.live(1000, speed: 1.2, sigma: sigma)
            it.live(4000, sigma: sigma)
        }
        it.live(1000, speed: 10, sigma: sigma)
        #expect(it.words == "arrive depart arrive depart arrive depart")
        for case .arrive(let stay) in it.told.dropFirst() { #expect(stay.isArrivalKnown) }
    }

    /// The receiver is switched on every five minutes, and for a second fix if the first one is elsewhere.
    @Test(arguments: 0..<30) func looksAreEnough(_ seed: UInt64) {
        var it = Traveller(random: SeededGenerator(seed: seed))
        for _ in 0..<3 {
            for _ in 0..<3 {
                it.live(299, speed: 1.4, every: 299)
                it.live(1, every: 1)
            }
            for _ in 0..<6 {
                it.live(299, every: 299)
                it.live(1, every: 1)
            }
        }
        #expect(it.words == "arrive depart arrive depart arrive")
    }

    @Test(arguments: 0..<30) func aWalkIsNoStay(_ seed: UInt64) {
        var it = Traveller(random: SeededGenerator(seed: seed))
        it.live(10_000, speed: [0.6, 1.4, 5, 30][Int(seed % 4)], sigma: [3.0, 10, 20][Int(seed % 3)])
        #expect(it.told.isEmpty)
    }

    @Test(arguments: 0..<30) func noiseIsNoDeparture(_ seed: UInt64) {
        var it = Traveller(random: SeededGenerator(seed: seed))
        it.live(86_400, every: 20, sigma: [5.0, 15, 30][Int(seed % 3)])
        #expect(it.words == "arrive")
    }

    @Test func thePlaceIsTheMiddleAndNotTheEndOfTheWalk() throws {
        var it = Traveller(random: SeededGenerator(seed: 7))
        it.live(600, speed: 1.4)
        let there = QuantizedCoordinate(latitude: 500_000_000, longitude: 80_000_000).moved(it.place, azimuth: 0)
        it.live(1200)
        guard case .arrive(let stay)? = it.told.first else { return #expect(Bool(false), "\(it.told)") }
        let off = ConditionCircle(center: there, clamping: 1).distance(to: stay.center)
        #expect(off < 20_000, "\(off) mm")
    }

    // MARK: Every state with every input

    private enum Start: CaseIterable { case nowhere, near, nearInDoubt, staying, stayingInDoubt }

    private func begun(_ start: Start) -> Traveller {
        var it = Traveller(random: SeededGenerator(seed: 1))
        switch start {
        case .nowhere: break
        case .near: it.live(20, sigma: 1)
        case .nearInDoubt:
            it.live(20, sigma: 1)
            it.place = 5000
            it.live(15, sigma: 1)
        case .staying: it.live(700, sigma: 1)
        case .stayingInDoubt:
            it.live(700, sigma: 1)
            it.place = 5000
            it.live(15, sigma: 1)
        }
        it.told = []
        return it
    }

    @Test(arguments: Start.allCases) private func aFixThere(_ start: Start) {
        var it = self.begun(start)
        it.place = 0
        it.live(5, sigma: 1)
        #expect(it.told.isEmpty)
    }

    /// The fourth fix at another place comes after the contradiction has lasted for 15 s.
    @Test(arguments: Start.allCases) private func aFixElsewhere(_ start: Start) {
        var it = self.begun(start)
        it.place = 5000
        it.live(5, sigma: 1)
        #expect(it.words == (start == .stayingInDoubt ? "depart" : ""))
    }
}
