internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Compares the events of random walks with a simple model.
///
/// Positions are on a coarse grid, so that none is near a boundary.
@Suite struct ConditionModelTests {
    private struct Event: Hashable {
        var second: Int
        var identifier: String
        var state: ConditionState
    }

    /// Circles of 500 m along a line, some inside others; positions are 400 m apart.
    private static let fences: [(name: String, north: Int)] = [
        ("a", 0), ("b", 800), ("c", 2400), ("d", 2800), ("e", -2000),
    ]

    private static func way(_ seed: UInt64) -> [Int] {
        var random = SeededGenerator(seed: seed)
        var (place, way) = (0, [Int]())
        while way.count < 1500 {
            if Int.random(in: 0..<4, using: &random) == 0 {
                // An error that lasts a second.
                way += [place + 400 * Int.random(in: -9...9, using: &random), place]
            } else {
                place += 400 * Int.random(in: -3...3, using: &random)
                place = min(max(place, -4000), 4000)
                way += Array(repeating: place, count: Int.random(in: 1...60, using: &random))
            }
        }
        return way
    }

    /// A crossing: an accepted fix is on the other side.
    private static func model(_ way: [Int]) -> [Event] {
        var events: [Event] = []
        for fence in self.fences {
            var known = ConditionState.unknown
            for second in Lattice.believed(way) {
                let side = abs(way[second] - fence.north) <= 500 ? ConditionState.satisfied : .unsatisfied
                guard side != known else { continue }
                known = side
                events.append(Event(second: second, identifier: fence.name, state: known))
            }
        }
        return events.sorted { ($0.second, $0.identifier) < ($1.second, $1.identifier) }
    }

    @Test(arguments: 0..<10) func eventsAreThoseOfTheModel(_ seed: UInt64) {
        let way = Self.way(seed)
        var device = Device.monitoring()
        // The receiver is on, because an app has a stream.
        device.declare(
            1,
            Declaration(
                sessions: [.init(id: 10, requirement: .always)],
                streams: [.init(id: 11, service: .standard(StandardOptions(pausesAutomatically: false)))],
                monitors: [.init(id: 7, name: "places", isRead: true)]
            )
        )
        for fence in Self.fences { device.add(fence.name, Device.circle(north: Double(fence.north), radius: 500_000)) }
        var events: [Event] = []
        for (second, place) in way.enumerated() {
            device.live(north: Double(place), seconds: 1)
            for event in device.events() where event.diagnostics.isEmpty {
                events.append(Event(second: second, identifier: event.identifier, state: event.state))
                guard let number = event.number else { continue }
                device.change(1, UInt64(second + 100), .handled(number))
            }
        }
        #expect(events.sorted { ($0.second, $0.identifier) < ($1.second, $1.identifier) } == Self.model(way))
        #expect(events.count > 20)
    }
}
