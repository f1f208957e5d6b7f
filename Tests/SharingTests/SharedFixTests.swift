internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

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

    /// Goal: many answers do not narrow a reduced position down.
    ///
    /// Method: all positions in a cell give one point.
    @Test func reducedFixesOfOneCellAreOnePoint() throws {
        func reduced(_ latitude: Double, _ longitude: Double) throws -> SharedFix {
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
        let middle = try reduced(52.5, 13.4)
        let reduced = try [(0, 0), (0.022, 0.03), (-0.022, -0.03), (0.01, -0.02)].map { north, east in
            try reduced(middle.latitude + north, middle.longitude + east)
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
        #expect(abs(reduced.latitude - latitude) <= 0.0225 + 1e-7)
        let east = abs(reduced.longitude - longitude)
        // At the date line, a nearby point may have a longitude with the other sign.
        if abs(latitude) < 80 { #expect(min(east, 360 - east) <= 0.06) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func reducingTwiceIsReducingOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let fix = try SharedFix(
                latitude: .random(in: -90...90, using: &random),
                longitude: .random(in: -180...180, using: &random),
                horizontalAccuracy: .random(in: 0...20_000, using: &random),
                time: WallTime(milliseconds: 0)
            )
            let reduced = try fix.reduced()
            #expect(try reduced.reduced() == reduced)
        }
    }
}
