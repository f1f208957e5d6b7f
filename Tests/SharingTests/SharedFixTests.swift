internal import Sharing
internal import Testing

struct SharedFixTests {
    @Test(arguments: [
        (91.0, 0.0, 1.0), (0, -181, 1), (0, 0, -1), (.nan, 0, 1), (0, .infinity, 1), (0, 0, .nan),
    ])
    func valuesOutsideTheirRangeAreErrors(latitude: Double, longitude: Double, accuracy: Double) {
        #expect(throws: SharingError(.badFix, "")) {
            try SharedFix(
                latitude: latitude,
                longitude: longitude,
                horizontalAccuracy: accuracy,
                time: WallTime(milliseconds: 0)
            )
        }
    }

    /// Goal: no number of answers narrows a reduced position down.
    ///
    /// Method: all fixes of a cell give one point.
    @Test func reducedFixesOfOneCellAreOnePoint() throws {
        let reduced = try [(52.5021, 13.3601), (52.5299, 13.4001), (52.549, 13.42)].map { latitude, longitude in
            try SharedFix(
                latitude: latitude,
                longitude: longitude,
                horizontalAccuracy: 3,
                time: WallTime(milliseconds: 0),
                altitude: 1,
                course: 2,
                speed: 3
            ).reduced()
        }
        #expect(Set(reduced).count == 1)
        let point = try #require(reduced.first)
        #expect(point.horizontalAccuracy == 5000)
        #expect(point.altitude == nil && point.course == nil && point.speed == nil)
        #expect(try point.reduced() == point)
    }

    @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 180), (89.99, 0), (60, -179.999)])
    func reducedFixesStayOnTheGlobeAndNear(latitude: Double, longitude: Double) throws {
        let fix = try SharedFix(
            latitude: latitude,
            longitude: longitude,
            horizontalAccuracy: 3,
            time: WallTime(milliseconds: 0)
        )
        let reduced = try fix.reduced()
        #expect(abs(reduced.latitude - latitude) <= 0.0251)
        if abs(latitude) < 80 { #expect(abs(reduced.longitude - longitude) <= 0.06) }
    }
}
