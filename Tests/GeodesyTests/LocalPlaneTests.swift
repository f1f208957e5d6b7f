internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsGeodesy

@Suite struct LocalPlaneTests {
    /// Goal: within 2 km, lengths and directions on the plane equal the ellipsoid's.
    @Test(arguments: 1...200) func nearPointsAreWhereTheEllipsoidHasThem(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let origin = QuantizedCoordinate(
            latitude: Int.random(in: -700_000_000...700_000_000, using: &generator),
            longitude: Int.random(in: -1_800_000_000...1_799_999_999, using: &generator)
        )
        let plane = LocalPlane(at: origin)
        let way = PlaneVector(
            length: Double.random(in: 0...2000, using: &generator),
            direction: Double.random(in: 0..<360, using: &generator)
        )
        let point = plane.point(at: way)
        let path = Geodesic.inverse(from: origin.coordinate, to: point.coordinate)
        // The flat parallel costs a few parts in ten thousand at 70°.
        #expect(abs(path.distance.value - way.length) < 0.02 + way.length * 1e-3)
        let back = plane.vector(to: point)
        #expect(abs(back.east - way.east) < 0.02 && abs(back.north - way.north) < 0.02)
    }

    @Test func theDateLineIsNoWayAround() {
        let plane = LocalPlane(at: QuantizedCoordinate(latitude: 0, longitude: 1_799_999_000))
        let point = plane.point(at: PlaneVector(east: 100, north: 0))
        #expect(point.longitude < 0)
        #expect(abs(plane.vector(to: point).east - 100) < 0.02)
    }

    @Test func polesAreNoTrap() {
        for latitude in [900_000_000, -900_000_000] {
            let plane = LocalPlane(at: QuantizedCoordinate(latitude: latitude, longitude: 5))
            for vector in [PlaneVector(east: 1e9, north: 1e9), PlaneVector(east: -1e9, north: -1e9), .zero] {
                let point = plane.point(at: vector)
                #expect(abs(Int(point.latitude)) <= 900_000_000)
            }
        }
    }

    @Test(arguments: [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (270, -1, 0)])
    func directionsAreClockwiseFromNorth(direction: Double, east: Double, north: Double) {
        let vector = PlaneVector(length: 1, direction: direction)
        #expect(vector == PlaneVector(east: east, north: north))
        #expect(vector.direction == direction)
        #expect(PlaneVector.zero.direction == nil)
    }
}
