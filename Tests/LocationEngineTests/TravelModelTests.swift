internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Compares visits and changes on random paths with simple models.
///
/// Positions are on a coarse grid, so that none is near a boundary.
@Suite struct TravelModelTests {
    /// A path of the device: its position at each second, in metres.
    private static func way(_ seed: UInt64, step: Int) -> [Int] {
        var random = SeededGenerator(seed: seed)
        var (place, way) = (0, [Int]())
        while way.count < 6000 {
            // A rest, a walk or drive to another place, or an error that lasts a second.
            switch Int.random(in: 0..<4, using: &random) {
            case 0: way += Array(repeating: place, count: Int.random(in: 1...1500, using: &random))
            case 1: way += [place + step * Int.random(in: 1...9, using: &random), place]
            default:
                let turn = Bool.random(using: &random) ? step : -step
                for _ in 0..<Int.random(in: 1...12, using: &random) {
                    place += turn
                    way += Array(repeating: place, count: Int.random(in: 2...400, using: &random))
                }
            }
        }
        return way
    }

    /// A change: an accepted fix is elsewhere, and the last change was five minutes ago.
    private static func changes(_ way: [Int]) -> [Int] {
        var (found, place, told) = ([0], way[0], 0)
        for second in Lattice.believed(way) where second >= told + 300 {
            guard abs(way[second] - place) > 500 else { continue }
            (place, told) = (way[second], second)
            found.append(second)
        }
        return found
    }

    /// The device has left when an accepted fix is elsewhere; it stays when it was at a place for ten minutes.
    private static func visits(_ way: [Int]) -> [Int] {
        var (found, place, since, stays) = ([Int](), way[0], 0, false)
        for second in Lattice.believed(way) {
            if way[second] == place {
                if !stays, second - since >= 600 {
                    stays = true
                    found.append(second)
                }
            } else {
                if stays { found.append(second) }
                (place, since, stays) = (way[second], second, false)
            }
        }
        return found
    }

    /// The seconds at which the engine reports something; another app keeps the receiver on.
    private func told(_ way: [Int], _ service: Service) -> [Int] {
        var device = Device.travelling(service)
        device.declare(
            1,
            Declaration(streams: [
                .init(id: 10, service: service), .init(id: 11, service: .standard(.init(pausesAutomatically: false))),
            ])
        )
        var found: [Int] = []
        for (second, place) in way.enumerated() {
            device.live(north: Double(place), seconds: 1)
            for case .tell(_, .update(_, stream: 10)) in device.effects { found.append(second) }
        }
        return found
    }

    @Test(arguments: 0..<6) func significantChangesAreThoseOfTheModel(_ seed: UInt64) {
        let way = Self.way(seed, step: 200)
        let expected = Self.changes(way)
        #expect(self.told(way, .significantChanges) == expected)
    }

    @Test func theWaysHaveBoth() {
        let ways = (0..<6).map { seed in (Self.way(seed, step: 200), Self.way(seed, step: 300)) }
        #expect(ways.reduce(0) { $0 + Self.changes($1.0).count } > 10)
        #expect(ways.reduce(0) { $0 + Self.visits($1.1).count } > 4)
    }

    @Test(arguments: 0..<6) func visitsAreThoseOfTheModel(_ seed: UInt64) {
        let way = Self.way(seed, step: 300)
        let expected = Self.visits(way)
        #expect(self.told(way, .visits) == expected)
    }
}
