internal import Foundation
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension Benchmark {
    /// One fix against the circular conditions of an app, of a device, and of far too many, compared with measuring each distance.
    static let monitor = Benchmark(name: "monitor") {
        [20, 256, 10_000].flatMap { count in
            let times = FenceWorkload.measure(count)
            return [("fix", times.fix), ("look", times.look)].map { part, value in
                Figure(
                    name: "\(part)-\(count)",
                    value: value / 1000,
                    unit: "µs",
                    ratio: times.measurement / value,
                    reference: "a measurement of each circle"
                )
            }
        }
    }
}

/// Circles of 100 to 500 m over Europe, and fixes around them.
private enum FenceWorkload {
    struct Times {
        var fix = 0.0
        var look = 0.0
        /// The time of measuring the distance to each circle.
        var measurement = 0.0
    }

    static let seed: UInt64 = 1
    static let places = 2000
    /// The fixes that are timed together; their median is the figure.
    private static let batch = 100

    static func measure(_ count: Int) -> Times {
        var random = SeededGenerator(seed: self.seed)
        func draw() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }
        let fences = (0..<count).compactMap { _ -> ConditionCircle? in
            let latitude = 36 + draw() * 24
            let longitude = -10 + draw() * 40
            return ConditionCircle(
                center: self.point(latitude, longitude),
                radius: Int64(((100 + draw() * 400) * 1000).rounded())
            )
        }
        let points = (0..<self.places).flatMap { _ -> [QuantizedCoordinate] in
            let fence = fences[Int(draw() * Double(fences.count))].center
            let latitude = Double(fence.latitude) / 1e7 + (draw() - 0.5) * 0.009
            let point = self.point(latitude, Double(fence.longitude) / 1e7 + (draw() - 0.5) * 0.009)
            return [point, point]
        }
        let policy = BeliefPolicy()
        var times = Times()
        var set = CircularConditions<Int>(policy: policy)
        for (key, fence) in fences.enumerated() { set.add(key, circle: fence, belief: Belief(side: .outside)) }
        var trail = Trail()
        let sightings = points.enumerated().map { second, point in
            let wall = WallTime(seconds: 1_800_000_000 + Int64(second) * 1000)
            let now = Now(monotonic: EngineInstant(sinceStart: .seconds(1000 * (second + 1))), wall: wall)
            return Sighting(point: point, accuracy: 5_000, time: wall, now: now, policy: policy)
        }
        times.fix = self.median(of: sightings) { sighting in
            guard case .use(let evidence) = trail.sightingArrived(sighting, policy: policy) else { return }
            _ = set.sightingArrived(evidence)
        }
        var sum: Int64 = 0
        times.look = self.median(of: points) { sum &+= set.nearestBoundary(to: $0) }
        times.measurement = self.median(of: Array(points.prefix(2 * self.batch))) { point in
            for fence in fences where fence.contains(point) { sum &+= 1 }
        }
        precondition(sum >= 0)
        return times
    }

    /// The nanoseconds that work takes: the median of its batches.
    private static func median<Item>(of items: [Item], _ work: (Item) -> Void) -> Double {
        let clock = ContinuousClock()
        return stride(from: 0, to: items.count, by: self.batch).map { first in
            let batch = items[first..<min(first + self.batch, items.count)]
            return clock.measure { for item in batch { work(item) } } / .nanoseconds(batch.count)
        }.quantile(0.5)
    }

    private static func point(_ latitude: Double, _ longitude: Double) -> QuantizedCoordinate {
        QuantizedCoordinate(latitude: Int((latitude * 1e7).rounded()), longitude: Int((longitude * 1e7).rounded()))
    }
}
