internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: positions that a device gives to an app, and positions in answers, use the same grid.
@Suite struct OneGridTests {
    /// Goal: an answer reveals no more than the device's own reduced accuracy.
    ///
    /// Method: for seeded points, the reduced answer equals the device's reduced position, and so does the answer made
    /// from that position.
    @Test(arguments: 0..<20 as Range<UInt64>) func anAnswerIsWhereTheDeviceReducesTo(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let fix = Self.fix(
                latitude: .random(in: -900_000_000...900_000_000, using: &random),
                longitude: .random(in: -1_800_000_000...1_800_000_000, using: &random)
            )
            let place = ReducedAccuracy.reduced(fix, radius: 5_000_000)
            #expect(try Self.reducedAnswer(fix) == [place.latitude, place.longitude])
            #expect(try Self.reducedAnswer(place) == [place.latitude, place.longitude])
        }
    }

    /// Poles, the equator, the antimeridian, and edges of cells.
    @Test(
        arguments: [-900_000_000, 0, 449_999, 450_000, 900_000_000] as [Int32],
        [-1_800_000_000, 0, 1_800_000_000] as [Int32]
    )
    func alsoAtTheEdges(latitude: Int32, longitude: Int32) throws {
        let fix = Self.fix(latitude: latitude, longitude: longitude)
        let place = ReducedAccuracy.reduced(fix, radius: 5_000_000)
        #expect(try Self.reducedAnswer(fix) == [place.latitude, place.longitude])
    }

    private static func fix(latitude: Int32, longitude: Int32) -> Fix {
        Fix(
            latitude: latitude,
            longitude: longitude,
            horizontalAccuracy: 5000,
            time: WallTime(seconds: 0),
            arrival: EngineInstant(sinceStart: .zero)
        )
    }

    private static func reducedAnswer(_ fix: Fix) throws -> [Int32] {
        let reduced = try SharedFix(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            horizontalAccuracy: 5,
            time: fix.time
        ).reduced()
        return [Int32((reduced.latitude * 1e7).rounded()), Int32((reduced.longitude * 1e7).rounded())]
    }
}
