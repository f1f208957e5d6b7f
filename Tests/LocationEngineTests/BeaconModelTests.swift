internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Compares the events of random receptions with a simple model that evaluates the whole history each time.
@Suite struct BeaconModelTests {
    /// A report of the scanner: its time, and the received beacon.
    private struct Report {
        var time: Double
        var beacon: Beacon?
    }

    private static let conditions: [(name: String, identity: BeaconIdentity)] = [
        ("any", BeaconIdentity(uuid: Device.shop)), ("group", BeaconIdentity(uuid: Device.shop, major: 1)),
        ("one", BeaconIdentity(uuid: Device.shop, major: 1, minor: 2)),
    ]

    /// A scanner that sometimes hangs, and beacons that come and go.
    private static func history(_ seed: UInt64) -> [Report] {
        var random = SeededGenerator(seed: seed)
        var (time, reports) = (0.0, [Report]())
        while reports.count < 1500 {
            let beacon: Beacon? =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: Device.beacon(1, 2)
                case 1: Device.beacon(1, 3)
                case 2: Device.beacon(2, 2)
                case 3: Beacon(uuid: Beacon.OwnerID(high: 1, low: 1), major: 1, minor: 2)
                default: nil
                }
            for _ in 0..<Int.random(in: 1...50, using: &random) {
                time += Double(Int.random(in: 1...4, using: &random))
                reports.append(Report(time: time, beacon: beacon))
            }
            if Bool.random(using: &random) { time += Double(Int.random(in: 6...90, using: &random)) }
        }
        return reports
    }

    /// The listening time of the scanner up to each report.
    private static func listened(_ history: [Report]) -> [Double] {
        var listened = [0.0]
        for (before, report) in zip(history, history.dropFirst()) {
            let gap = report.time - before.time
            listened.append((listened.last ?? 0) + (gap <= 5 ? gap : 0))
        }
        return listened
    }

    /// The state of a condition at a report, from all receptions up to then.
    private static func state(
        _ identity: BeaconIdentity,
        at index: Int,
        _ history: [Report],
        _ listened: [Double]
    ) -> ConditionState {
        let last = (0...index).last { history[$0].beacon.map(identity.isSatisfied) ?? false }
        if let last { return listened[index] - listened[last] < 30 ? .satisfied : .unsatisfied }
        return listened[index] < 5 ? .unknown : .unsatisfied
    }

    private static func expected(_ history: [Report]) -> [String] {
        let listened = Self.listened(history)
        var (events, states) = ([String](), [String: ConditionState]())
        for index in history.indices {
            for condition in Self.conditions {
                let state = Self.state(condition.identity, at: index, history, listened)
                if state != states[condition.name] ?? .unknown { events.append("\(index) \(condition.name) \(state)") }
                states[condition.name] = state
            }
        }
        return events
    }

    private static func told(_ history: [Report]) -> [String] {
        var device = Device.scanning()
        for condition in Self.conditions { device.add(condition.name, .beacon(condition.identity)) }
        let begin = device.seconds
        var (told, change) = ([String](), UInt64(10))
        for (index, report) in history.enumerated() {
            device.pass(begin + report.time - device.seconds)
            device.scan(report.beacon)
            for event in device.events() {
                told.append("\(index) \(event.identifier) \(event.state)")
                change += 1
                if let number = event.number { device.change(1, change, .handled(number)) }
            }
        }
        return told
    }

    @Test(arguments: 0..<8) func theEventsAreThoseOfTheModel(_ seed: UInt64) {
        let history = Self.history(seed)
        let expected = Self.expected(history)
        #expect(expected.count > 10)
        #expect(Self.told(history) == expected)
    }
}
