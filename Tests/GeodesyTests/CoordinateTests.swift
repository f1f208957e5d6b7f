internal import Testing

@testable import WhereaboutsGeodesy

@Suite struct CoordinateTests {
    @Test(arguments: [(90.1, 0), (-90.1, 0), (.nan, 0), (0, .nan), (0, .infinity)] as [(Double, Double)])
    func impossiblePointsAreRefused(latitude: Double, longitude: Double) {
        #expect(GeodeticCoordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test(arguments: [(180, 180), (-180, -180), (181, -179), (540, 180), (-361, -1)] as [(Double, Double)])
    func longitudesAreReduced(given: Double, reduced: Double) throws {
        let longitude = try #require(GeodeticCoordinate(latitude: 0, longitude: given)).longitude
        #expect(abs(longitude) <= 180)
        #expect((longitude - reduced).remainder(dividingBy: 360) == 0)
    }

    @Test func roundingIsToNearest() {
        let rounded = QuantizedCoordinate(GeodeticCoordinate(53.545_858_37, -9.966_387_12))
        #expect(rounded.latitude == 535_458_584)
        #expect(rounded.longitude == -99_663_871)
        #expect(rounded.coordinate == GeodeticCoordinate(53.545_858_4, -9.966_387_1))
    }

    @Test func equalPointsAreNoDistanceApart() {
        for point in [GeodeticCoordinate(0, 0), .init(90, 5), .init(-90, -5), .init(33, 180), .init(-60, 12.5)] {
            let path = Geodesic.inverse(from: point, to: point)
            #expect(path.distance == Meters(0))
            #expect(path.azimuth1.isFinite && path.azimuth2.isFinite)
        }
    }

    @Test func badValuesTrap() async {
        await #expect(processExitsWith: .failure) { _ = Meters(.nan) }
        await #expect(processExitsWith: .failure) {
            _ = Geodesic.direct(from: GeodeticCoordinate(0, 0), azimuth: .infinity, distance: Meters(1))
        }
        await #expect(processExitsWith: .failure) { _ = QuantizedCoordinate(latitude: 900_000_001, longitude: 0) }
        await #expect(processExitsWith: .failure) { _ = QuantizedCoordinate(latitude: 0, longitude: -1_800_000_001) }
    }
}
