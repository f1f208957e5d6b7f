internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsGeodesy

@Suite struct ShortWayTests {
    /// Goal: a distance computed on the plane equals the geodesic, except for rounding to millimetres.
    @Test(arguments: [300.0, 1999, 2100, 40_000, 20_000_000]) func waysAreGeodesics(reach: Double) {
        var generator = SeededGenerator(seed: UInt64(reach))
        for _ in 0..<20_000 {
            let from = QuantizedCoordinate(
                latitude: Int.random(in: -900_000_000...900_000_000, using: &generator),
                longitude: Int.random(in: -1_800_000_000...1_799_999_999, using: &generator)
            )
            let direction = Double.random(in: 0..<360, using: &generator)
            let length = Meters(Double.random(in: 0...reach, using: &generator))
            let end = Geodesic.direct(from: from.coordinate, azimuth: direction, distance: length).point
            let to = QuantizedCoordinate(end)
            let geodesic = Geodesic.inverse(from: from.coordinate, to: to.coordinate).distance.value * 1000
            let way = Geodesic.millimeters(from: from, to: to)
            // Half a millimetre by rounding, a tenth by the plane, and what is left of both ends' rounding to 1e-12 m a unit.
            #expect(abs(Double(way) - geodesic) <= 0.62, "\(from) to \(to)")
        }
    }

    /// Goal: within its range, a distance is exact.
    ///
    /// Beyond it, the result is between the range and the true distance.
    @Test(arguments: [1, 100_000, 50_000_000, 20_000_000_000] as [Int64]) func waysBeyondAReachAreBeyondIt(limit: Int64)
    {
        var generator = SeededGenerator(seed: UInt64(limit))
        for _ in 0..<5000 {
            func point() -> QuantizedCoordinate {
                QuantizedCoordinate(
                    latitude: Int.random(in: -900_000_000...900_000_000, using: &generator),
                    longitude: Int.random(in: -1_800_000_000...1_799_999_999, using: &generator)
                )
            }
            let (from, to) = (point(), point())
            let exact = Geodesic.millimeters(from: from, to: to)
            let told = Geodesic.millimeters(from: from, to: to, upTo: limit)
            #expect(exact <= limit ? told == exact : told > limit && told <= exact)
        }
    }

    @Test func theDateLineIsNoWayAround() {
        let east = QuantizedCoordinate(latitude: 100_000_000, longitude: 1_799_999_000)
        let west = QuantizedCoordinate(latitude: 100_000_000, longitude: -1_799_999_000)
        let way = Geodesic.millimeters(from: east, to: west)
        #expect(way == Geodesic.millimeters(from: west, to: east))
        #expect((21_000...22_000).contains(way))
    }

    @Test func noWayIsNone() {
        for latitude in [0, 700_000_000, 899_999_999, 900_000_000] {
            let point = QuantizedCoordinate(latitude: latitude, longitude: 7)
            #expect(Geodesic.millimeters(from: point, to: point) == 0)
        }
    }
}
