internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// Simulates a device that measures its position only as often as ``LookAhead`` says: how long its receiver is on, and
/// how late its events are.
struct LookStudy: Sendable {
    /// A part of somebody's day.
    struct Scene: Sendable, CustomTestStringConvertible {
        let name: String
        let track: Track
        /// The fences, by centre and radius in metres.
        let fences: [(center: QuantizedCoordinate, radius: Double)]
        var testDescription: String { self.name }
    }

    struct Outcome: Sendable {
        var seconds = 0
        var secondsOn = 0
        var latencies: [Double] = []
        var missed = 0
        var excess = 0

        /// The share of the time that the receiver is on.
        var share: Double { Double(self.secondsOn) / Double(max(self.seconds, 1)) }
    }

    /// The time from switching a receiver on to its first fix: u-blox M8 data sheet, hot start, 1 s, and a second to wake.
    static let startSeconds = 2

    static func run(_ scene: Scene) -> Outcome {
        let policy = BeliefPolicy()
        var receiver = ModelReceiver(.openSky, seed: 5)
        var set = CircularConditions<Int>(policy: policy)
        var sides: [Int: Side] = [:]
        let way = scene.track.seconds
        let circles = scene.fences.compactMap { ConditionCircle(center: $0.center, radius: Int64($0.radius * 1000)) }
        for (key, circle) in circles.enumerated() {
            sides[key] = circle.contains(way[0].place) ? .inside : .outside
            set.add(key, circle: circle, belief: Belief(side: sides[key]))
        }
        var outcome = Outcome()
        var crossedAt: [Int: Double] = [:]
        var trail = Trail()
        var next = 0.0
        var isOn = false
        for (second, place, speed) in way {
            for (key, circle) in circles.enumerated() {
                let side: Side = circle.contains(place) ? .inside : .outside
                guard side != sides[key] else { continue }
                if crossedAt.removeValue(forKey: key) == nil { crossedAt[key] = second } else { outcome.missed += 1 }
                sides[key] = side
            }
            outcome.seconds += 1
            guard second >= next - Double(isOn ? 0 : Self.startSeconds) else { continue }
            outcome.secondsOn += 1
            guard second >= next else { continue }
            let sighting = receiver.observe(place, second: second, speed: speed).sighting(policy)
            guard case .use(let evidence) = trail.sightingArrived(sighting, policy: policy) else { continue }
            for crossing in set.sightingArrived(evidence) {
                guard let since = crossedAt.removeValue(forKey: crossing.key) else {
                    outcome.excess += 1
                    continue
                }
                outcome.latencies.append(second - since)
            }
            let look = LookAhead(
                boundary: set.nearestBoundary(to: sighting.point),
                after: sighting,
                isAwaiting: trail.isAwaitingMore,
                policy: LookPolicy()
            )
            switch look {
            case .stayOn: isOn = true
            case .lookAt(let instant):
                isOn = false
                next = second + sighting.arrival.duration(to: instant) / .seconds(1)
            }
        }
        outcome.missed += crossedAt.count
        return outcome
    }

    private static let home = Track.origin
    private static let work = Track.origin.offset(east: 9000, north: 2000)

    static let scenes: [Scene] = [
        Scene(
            name: "a day at home",
            track: Track("", through: [(0, 0, 0), (86_400, 0, 0)]),
            fences: [(Self.home, 100), (Self.work, 100)]
        ),
        Scene(
            name: "a day at home, 30 m from the boundary",
            track: Track("", through: [(0, 70, 0), (86_400, 70, 0)]),
            fences: [(Self.home, 100), (Self.work, 100)]
        ),
        Scene(
            name: "a commute: an hour at home, a walk, a train, a walk, an hour at work",
            track: Track(
                "",
                through: [
                    (0, 0, 0), (3600, 0, 0), (4200, 800, 0), (4500, 800, 0), (5060, 8400, 1500), (5100, 8400, 1500),
                    (5700, 9000, 2000), (9300, 9000, 2000),
                ]
            ),
            fences: [(Self.home, 100), (Self.work, 100)]
        ),
        Scene(
            name: "a drive: 100 km at 33 m/s, past two fences into a third",
            track: Track("", through: [(0, 0, 0), (600, 0, 0), (3600, 99_000, 0), (4200, 99_000, 0)]),
            fences: [
                (Self.home, 200), (Self.home.offset(east: 40_000, north: 100), 500),
                (Self.home.offset(east: 70_000, north: -300), 1000), (Self.home.offset(east: 99_000, north: 0), 200),
            ]
        ),
    ]
}
