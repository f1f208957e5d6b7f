internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

/// Transcripts of failures that users reported to other geofencing projects.
///
/// Each line has the seconds since the last fix, the distance from the center, the accuracy and the measured speed;
/// after the arrow follows the expected crossing.
@Suite struct FieldReportTests {
    /// Ikolvi/Tracelet#268: with a single threshold, a device at rest alternates between inside and outside.
    @Test func stillAtTheBoundary() {
        transcript(
            radius: 100,
            .inside,
            """
            +1 99 ±5 v0.1
            +1 101 ±5 v0.2
            +1 98 ±5 v0.1
            +1 104 ±5 v0.1
            +1 105 ±5 v0.3
            +1 97 ±5 v0.1
            """
        )
    }

    /// #274: a fix with an accuracy of 150 m crosses a fixed margin.
    @Test func theVagueFix() {
        transcript(
            radius: 100,
            .inside,
            """
            +10 20 ±5
            +10 180 ±150
            +10 190 ±150
            +10 25 ±5
            """
        )
    }

    /// #276: fixes with an accuracy of 50 m delayed a true exit from 50 m to 120 m.
    @Test func theDelayedExit() {
        transcript(
            radius: 50,
            .inside,
            """
            +1 70 ±50 v5
            +1 75 ±50 v5 -> outside by motion
            +1 80 ±50 v5
            """
        )
    }

    /// #294 and #295: 200 m off at a claimed 1.7 m, five times in three minutes, each out and back.
    @Test func theReceiverThatLies() {
        let glitch = """
            +12 210 ±1.7 v0.1
            +12 12 ±15 v0.1
            +12 14 ±15 v0
            """
        transcript(radius: 100, .inside, Array(repeating: glitch, count: 5).joined(separator: "\n"))
    }

    /// #292 and #293: 20 arrivals without a departure, because each start forgot the state.
    ///
    /// customerio-android#805: each reboot reported the arrival again. Suppressing this must not suppress a true
    /// arrival.
    @Test func restartsAreSilentAndReturnsAreTold() {
        transcript(
            radius: 100,
            .inside,
            """
            +1 10 ±5
            +1 10 ±5
            restart
            +1 10 ±5
            +1 10 ±5
            restart
            +1 300 ±5
            +1 300 ±5 -> outside by fix
            restart
            +1 300 ±5
            +1 10 ±5
            +15 10 ±5 -> inside by fix
            """
        )
    }

    /// home-assistant/core#175663: two zones 72 m apart, with radii of 30 m and 11 m, alternate while the accuracy
    /// changes.
    @Test func twoZonesSideBySide() {
        transcript(
            radius: 30,
            .inside,
            """
            +30 5 ±5
            +30 8 ±60
            +30 40 ±90
            +30 6 ±10
            """
        )
        transcript(
            radius: 11,
            .outside,
            """
            +30 70 ±5
            +30 69 ±60
            +30 40 ±90
            +30 71 ±10
            """
        )
    }

    /// #357: a geofence that is added later changes when the receiver measures.
    @Test func theFenceAddedLater() throws {
        let place = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)
        var set = CircularConditions<String>(policy: BeliefPolicy())
        #expect(set.nearestBoundary(to: place) == 50_000_000)
        let circle = try #require(ConditionCircle(center: place.moved(150), radius: 100_000))
        set.add("later", circle: circle, belief: Belief(side: .outside))
        #expect(abs(set.nearestBoundary(to: place) - 50_000) < 20)
    }
}

/// Plays a script, and compares the events after each line with the expected ones.
private func transcript(radius: Int64, _ side: Side, _ script: String, at location: SourceLocation = #_sourceLocation) {
    let center = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)
    let policy = BeliefPolicy()
    guard let circle = ConditionCircle(center: center, radius: radius * 1000) else { return }
    var belief = Belief(side: side)
    var trail = Trail()
    var seconds = 1000
    for line in script.split(separator: "\n") {
        if line == "restart" {
            (belief, trail) = (Belief(side: belief.side), Trail())
            continue
        }
        let step = line.split(separator: " -> ")[0]
        let words = step.split(separator: " ")
        guard words.count >= 3, let wait = Int(words[0].dropFirst()), let meters = Double(words[1]),
            let accuracy = Double(words[2].dropFirst())
        else {
            Issue.record("\(line) is not a step", sourceLocation: location)
            return
        }
        seconds += wait
        let speed = words.count > 3 ? Double(words[3].dropFirst()) : nil
        let now = Now(
            monotonic: EngineInstant(sinceStart: .seconds(seconds)),
            wall: WallTime(seconds: 1_800_000_000 + Int64(seconds))
        )
        var told = String(step)
        if let evidence = trail.silenceLasted(now: now.monotonic, policy: policy),
            case .crossed(let side, let grounds) = belief.sightingArrived(evidence, of: circle, policy: policy)
        {
            told += " -> \(side) by \(grounds)"
        }
        let sighting = Sighting(
            point: center.moved(meters),
            accuracy: Int64(accuracy * 1000),
            speed: speed.map { Int64($0 * 1000) },
            time: now.wall,
            now: now,
            policy: policy
        )
        if case .use(let evidence) = trail.sightingArrived(sighting, policy: policy),
            case .crossed(let side, let grounds) = belief.sightingArrived(evidence, of: circle, policy: policy)
        {
            told += " -> \(side) by \(grounds)"
        }
        #expect(told == line, sourceLocation: location)
    }
}
