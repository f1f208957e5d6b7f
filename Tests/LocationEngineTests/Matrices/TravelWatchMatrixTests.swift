internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for visits and significant changes: every state, reached by public calls, with every input.
///
/// The text of a state has the second of the last change, the stay, the kind of position check, and the deadline.
@Suite struct TravelWatchMatrixTests {
    enum Start: CaseIterable {
        case nobody, changes, visits, changed, hidden, staying, untold, leaving

        var bench: Bench {
            var bench = Bench()
            switch self {
            case .nobody: break
            case .changes: bench.watch.wanted([.changes], now: second(0))
            case .visits: bench.watch.wanted([.visits], now: second(0))
            case .changed:
                bench = Start.changes.bench
                _ = bench.fix(at: 10)
            case .hidden:
                bench = Start.changed.bench
                bench.watch.wanted([], now: second(20))
            case .staying:
                bench = Start.visits.bench
                for time in stride(from: 0, through: 600, by: 100) { _ = bench.fix(at: time) }
            case .untold:
                bench = Start.staying.bench
                bench.watch.wanted([], now: second(700))
            case .leaving:
                bench = Start.staying.bench
                _ = bench.fix(at: 650, isFar: true)
            }
            return bench
        }

        /// The outcomes of the inputs, in the order of ``Input``: whether there is something new to report, and the
        /// state.
        var row: [String] {
            switch self {
            case .nobody:
                [
                    "- - idle by -", "- - looking 1060 by 1060", "- - looking 1060 by 1060",
                    "- - looking 1060 by 1060", "- - idle by -", "- - idle by -", "- - idle by -",
                    "- - idle by -", "- - idle by -",
                ]
            case .changes:
                [
                    "- - idle by -", "- - looking 60 by 60", "- - looking 1060 by 1060", "- - looking 1060 by 1060",
                    "news, 1000 - looking 1060 by 1030", "news, 1000 - looking 1060 by 1030", "- - looking 60 by 60",
                    "- - resting 1300 by 1300", "- - resting 87400 by 87400",
                ]
            case .visits:
                [
                    "- - idle by 87400", "- - looking 1060 by 1060", "- - looking 60 by 60",
                    "- - looking 1060 by 1060", "- - looking 1060 by 1030", "- - looking 1060 by 1030",
                    "- - looking 60 by 60", "- - resting 1300 by 1300", "- - resting 87400 by 87400",
                ]
            case .changed:
                [
                    "10 - idle by 310", "10 - looking 70 by 40", "10 - looking 1060 by 40",
                    "10 - looking 1060 by 40", "10 - resting 1300 by 1300", "10 - looking 1060 by 1030",
                    "10 - looking 70 by 40", "10 - resting 1300 by 1300", "10 - resting 87400 by 87400",
                ]
            case .hidden:
                [
                    "10 - idle by 310", "- - looking 1060 by 40", "10 - looking 1060 by 40",
                    "- - looking 1060 by 40", "10 - idle by 310", "10 - idle by 310", "10 - idle by 310",
                    "- - idle by -", "- - idle by -",
                ]
            case .staying:
                [
                    "- here idle by 87400", "- here looking 1060 by 1060", "- here resting 900 by 900",
                    "- here looking 1060 by 1060", "- here resting 1300 by 1300", "- here looking 1060 by 1030",
                    "- here resting 900 by 900", "- here looking 1060 by 1060", "- here looking 87160 by 87160",
                ]
            case .untold:
                [
                    "- here idle by 87100", "- here looking 1060 by 1060", "- here looking 1060 by 1060",
                    "- here looking 1060 by 1060", "- here idle by 87100", "- here idle by 87100",
                    "- here idle by 87100", "- here idle by 87100", "- - idle by -",
                ]
            case .leaving:
                [
                    "- here idle by 87400", "- here looking 1060 by 680", "- here looking 710 by 680",
                    "- here looking 1060 by 680", "- here resting 1300 by 1300", "news, - left resting 1300 by 1300",
                    "- here looking 710 by 680", "news, - left resting 1300 by 1300",
                    "news, - left resting 87400 by 87400",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case none, changes, visits, both, here, far, early, late, nextDay

        func apply(to bench: inout Bench) -> String {
            switch self {
            case .none: bench.watch.wanted([], now: second(1000))
            case .changes: bench.watch.wanted([.changes], now: second(1000))
            case .visits: bench.watch.wanted([.visits], now: second(1000))
            case .both: bench.watch.wanted([.changes, .visits], now: second(1000))
            case .here: return bench.fix(at: 1000) ? "news, " : ""
            case .far: return bench.fix(at: 1000, isFar: true) ? "news, " : ""
            case .early: return bench.deadlineReached(at: 0) ? "news, " : ""
            case .late: return bench.deadlineReached(at: 1000) ? "news, " : ""
            case .nextDay: return bench.deadlineReached(at: 87_100) ? "news, " : ""
            }
            return ""
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var bench = start.bench
        #expect(input.apply(to: &bench) + bench.words == start.row[input.rawValue])
    }

    /// The watch, and the filter of its fixes.
    struct Bench {
        var watch = TravelWatch(policy: Policy())
        private var witness = EvidenceFilter(policy: Policy().beliefs)

        /// A fix comes, at the place or 2 km from it.
        mutating func fix(at seconds: Int, isFar: Bool = false) -> Bool {
            let fix = Fix(
                latitude: 425_000_000 + (isFar ? 180_000 : 0),
                longitude: 0,
                horizontalAccuracy: 5000,
                time: moment(seconds).wall,
                arrival: second(seconds)
            )
            guard let evidence = self.witness.fixReceived(fix, now: moment(seconds)) else { return false }
            return self.see(evidence, fix, at: seconds)
        }

        /// The host's timer fires, as in the engine.
        mutating func deadlineReached(at seconds: Int) -> Bool {
            let last = self.witness.silenceLasted(now: second(seconds))
            let isNews = last.map { self.see($0.0, $0.1, at: seconds) } ?? false
            self.watch.deadlineReached(now: second(seconds))
            return isNews
        }

        private mutating func see(_ evidence: Evidence, _ fix: Fix, at seconds: Int) -> Bool {
            let isAwaitingMore = self.witness.isAwaitingMore
            return self.watch.sightingArrived(evidence, fix, isAwaitingMore: isAwaitingMore, now: second(seconds))
        }

        var words: String {
            let stay = self.watch.told.stay.map { $0.departure == nil ? "here" : "left" } ?? "-"
            let looks =
                switch self.watch.looks.state {
                case .idle: "idle"
                case .looking(let until): "looking \(word(until))"
                case .resting(let until): "resting \(word(until))"
                }
            var deadline = self.watch.deadline
            if !self.watch.isEmpty { deadline.lower(to: self.witness.deadline) }
            return "\(word(self.watch.told.change?.arrival)) \(stay) \(looks) by \(word(deadline))"
        }
    }
}

private func moment(_ seconds: Int) -> Now {
    Now(monotonic: second(seconds), wall: WallTime(seconds: 43_200 + Int64(seconds)))
}

private func word(_ instant: EngineInstant?) -> String { instant.map { "\($0.sinceStart.components.seconds)" } ?? "-" }
