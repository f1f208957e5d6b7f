internal import Testing
internal import WhereaboutsVocabulary

@testable import WhereaboutsGeodesy

/// Properties that hold for every pair of points, tested with seeded random points.
@Suite struct GeodesicPropertyTests {
    static let seeds: Range<UInt64> = 0..<20

    /// Half a meridian, the longest shortest path.
    static let longest = 20_003_931.458625447

    @Test(arguments: Self.seeds) func directUndoesInverse(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let one = generator.point()
            let other = Bool.random(using: &generator) ? generator.point() : generator.antipode(of: one)
            let path = Geodesic.inverse(from: one, to: other)
            #expect(path.distance.value >= 0 && path.distance.value <= Self.longest + 15e-9)
            let arrival = Geodesic.direct(from: one, azimuth: path.azimuth1, distance: path.distance)
            #expect(Geodesic.inverse(from: arrival.point, to: other).distance.value < 40e-9, "\(one) \(other)")
        }
    }

    @Test(arguments: Self.seeds) func inverseUndoesDirect(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let one = generator.point()
            let distance = Double.random(in: 0...19_000_000, using: &generator)
            let azimuth = Double.random(in: -180...180, using: &generator)
            let there = Geodesic.direct(from: one, azimuth: azimuth, distance: Meters(distance))
            #expect(abs(Geodesic.inverse(from: one, to: there.point).distance.value - distance) < 40e-9)
            let back = Geodesic.direct(from: there.point, azimuth: there.azimuth, distance: Meters(-distance))
            #expect(Geodesic.inverse(from: one, to: back.point).distance.value < 40e-9)
        }
    }

    @Test(arguments: Self.seeds) func distanceIsSymmetric(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let one = generator.point()
            let other = Bool.random(using: &generator) ? generator.point() : generator.antipode(of: one)
            let there = Geodesic.inverse(from: one, to: other).distance.value
            let back = Geodesic.inverse(from: other, to: one).distance.value
            let mirrored = Geodesic.inverse(
                from: GeodeticCoordinate(-one.latitude, -one.longitude),
                to: GeodeticCoordinate(-other.latitude, -other.longitude)
            ).distance.value
            #expect(abs(there - back) < 15e-9 && abs(there - mirrored) < 15e-9, "\(one) \(other)")
        }
    }

    @Test(arguments: Self.seeds) func noDetourIsShorter(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let (one, other, third) = (generator.point(), generator.point(), generator.point())
            let straight = Geodesic.inverse(from: one, to: other).distance.value
            let detour =
                Geodesic.inverse(from: one, to: third).distance.value
                + Geodesic.inverse(from: third, to: other).distance.value
            #expect(straight <= detour + 40e-9)
        }
    }
}

extension SeededGenerator {
    /// A point anywhere, or on a special place: a pole, the equator, the antimeridian.
    mutating func point() -> GeodeticCoordinate {
        let latitudes: [Double] = [.random(in: -90...90, using: &self), -90, 0, 90]
        let longitudes: [Double] = [.random(in: -180...180, using: &self), -180, 0, 180]
        return GeodeticCoordinate(
            latitudes[Int.random(in: 0..<4, using: &self)],
            longitudes[Int.random(in: 0..<4, using: &self)]
        )
    }

    /// A point within `degrees` of the antipode of `point`, or nearer by powers of ten.
    mutating func antipode(of point: GeodeticCoordinate) -> GeodeticCoordinate {
        let degrees: Double = [1, 0.1, 1e-3, 1e-6, 1e-9, 0][Int.random(in: 0..<6, using: &self)]
        let latitude = -point.latitude + Double.random(in: -degrees...degrees, using: &self)
        let longitude = point.longitude + 180 + Double.random(in: -degrees...degrees, using: &self)
        return GeodeticCoordinate(min(90, max(-90, latitude)), longitude)
    }
}
