internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsConditions

/// Compares the scan's bounding boxes with a distance measurement for every circle.
@Suite struct CircleBoxTests {
    /// A point anywhere, or close to the boundary of a circle.
    private func point(about circle: ConditionCircle, _ generator: inout SeededGenerator) -> QuantizedCoordinate {
        guard Bool.random(using: &generator) else { return generator.point() }
        let error = Double.random(in: -2...2, using: &generator)
        return circle.center.moved(Double(circle.radius) / 1000 + error, azimuth: generator.azimuth())
    }

    /// Goal: every point of a circle is in its box, also near the poles and the date line.
    @Test(arguments: 0..<6 as Range<UInt64>) func aBoxHoldsItsCircle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var inside = 0
        for _ in 0..<20_000 {
            let circle = generator.circle()
            let point = self.point(about: circle, &generator)
            guard circle.contains(point) else { continue }
            inside += 1
            #expect(CircleBox(circle).contains(point), "\(circle) \(point)")
        }
        #expect(inside > 3000)
    }

    /// Goal: a box excludes distant points.
    @Test func aBoxIsNotMuchLargerThanItsCircle() throws {
        for latitude in [0, 400_000_000, -700_000_000] {
            let center = QuantizedCoordinate(latitude: latitude, longitude: 1_799_999_000)
            let box = CircleBox(try #require(ConditionCircle(center: center, radius: 100_000)))
            for azimuth in stride(from: -180.0, through: 180, by: 15) {
                #expect(!box.contains(center.moved(450, azimuth: azimuth)))
                #expect(!box.isNear(center.moved(250_000, azimuth: azimuth), within: CircleBox.reach))
            }
            #expect(!box.isNear(center.moved(500, azimuth: 0), within: 300_000))
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>) func theNearestBoundaryIsThatOfAMeasurement(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let circles = (0..<100).map { _ in generator.circle() }
        var set = CircularConditions<Int>(policy: BeliefPolicy())
        for (key, circle) in circles.enumerated() { set.add(key, circle: circle, belief: Belief(side: .outside)) }
        for _ in 0..<200 {
            let point = self.point(about: circles.randomElement(using: &generator) ?? circles[0], &generator)
            let nearest = circles.map { abs($0.distance(to: point) - $0.radius) }.min() ?? .max
            #expect(set.nearestBoundary(to: point) == min(nearest, 50_000_000), "\(point)")
        }
    }

    @Test(arguments: [0, -1, .min, .max, ConditionCircle.radiusMillimetersMax + 1] as [Int64])
    func radiiThatNoBoundaryHasAreRefused(radius: Int64) {
        #expect(ConditionCircle(center: QuantizedCoordinate(latitude: 0, longitude: 0), radius: radius) == nil)
    }
}
