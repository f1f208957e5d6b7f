internal import OrderedCollections
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Every state of an app's process, reached by public calls, with every input.
///
/// The text of a run has its state, the orders that wait for the start, and the orders that wait for the end; times are
/// in milliseconds.
@Suite struct AppRunsMatrixTests {
    enum Start: CaseIterable {
        case none, beginning, watched, running, hasty, closing, killed

        /// Order 1 started the app at second 0, and order 2 closes it.
        var runs: AppRuns {
            var runs = AppRuns()
            switch self {
            case .none: break
            case .beginning: runs.began(app, Lifecycle.Arrival(phase: .foreground), for: OrderID(1))
            case .watched:
                runs = Start.beginning.runs
                _ = runs.started(app, now: second(0))
            case .running: runs.tookOver(app, Lifecycle.Arrival(phase: .foreground))
            case .hasty:
                runs = Start.watched.runs
                runs.closing(app, for: OrderID(2), patience: AppRuns.closingPatience, now: second(0))
            case .closing:
                runs = Start.running.runs
                runs.closing(app, for: OrderID(2), patience: AppRuns.closingPatience, now: second(0))
            case .killed:
                runs = Start.closing.runs
                _ = runs.deadlineReached(now: second(5))
            }
            return runs
        }

        /// The outcomes of the inputs, in the order of ``Input``: the action, and the run.
        var row: [String] {
            switch self {
            case .none:
                [
                    "beginning for 8", "running", "unexpected, none", "stranger, none", "none", "none", "none",
                    "none",
                ]
            case .beginning:
                [
                    "beginning for 8", "running", "expected, running for 1 by 10500", "gone, none",
                    "beginning for 1, hidden", "closing by 15000 for 1, told 9", "beginning for 1",
                    "beginning for 1",
                ]
            case .watched:
                [
                    "beginning for 8", "running", "unexpected, running for 1 by 500", "gone, none",
                    "running for 1 by 500, hidden", "closing by 15000 for 1 by 500, told 9",
                    "running for 1 by 500", "steady 1, running",
                ]
            case .running:
                [
                    "beginning for 8", "running", "unexpected, running", "gone, none", "running, hidden",
                    "closing by 15000, told 9", "running", "running",
                ]
            case .hasty:
                [
                    "beginning for 8", "running", "unexpected, closing by 5000 for 1 by 500, told 2",
                    "gone, none", "closing by 5000 for 1 by 500, told 2, hidden",
                    "closing by 5000 for 1 by 500, told 2 9", "closing by 5000 for 1 by 500, told 2",
                    "kill, steady 1, killed, told 2",
                ]
            case .closing:
                [
                    "beginning for 8", "running", "unexpected, closing by 5000, told 2", "gone, none",
                    "closing by 5000, told 2, hidden", "closing by 5000, told 2 9", "closing by 5000, told 2",
                    "kill, killed, told 2",
                ]
            case .killed:
                [
                    "beginning for 8", "running", "unexpected, killed, told 2", "gone, none",
                    "killed, told 2, hidden", "killed, told 2 9", "killed, told 2", "killed, told 2",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case began, tookOver, started, ended, hidden, closing, early, late

        func apply(to runs: inout AppRuns) -> String {
            switch self {
            case .began: runs.began(app, Lifecycle.Arrival(phase: .foreground), for: OrderID(8))
            case .tookOver: runs.tookOver(app, Lifecycle.Arrival(phase: .foreground))
            case .started: return runs.started(app, now: second(10)) == nil ? "unexpected, " : "expected, "
            case .ended: return runs.ended(app) == nil ? "stranger, " : "gone, "
            case .hidden: runs.shown(app, as: .background)
            case .closing: runs.closing(app, for: OrderID(9), patience: AppRuns.closingPatience, now: second(10))
            case .early: return words(runs.deadlineReached(now: second(0)))
            case .late: return words(runs.deadlineReached(now: second(100)))
            }
            return ""
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var runs = start.runs
        #expect(input.apply(to: &runs) + words(runs.all[app]) == start.row[input.rawValue])
        // Each instant that a caller waits for is also the machine's deadline.
        #expect(runs.deadline == runs.all[app]?.deadline)
    }

    /// Goal: each order is answered for the run that it is about.
    @Test func twoAppsDoNotMeetEachOther() {
        var runs = Start.hasty.runs
        let other = BundleID("com.example.Other")
        runs.began(other, Lifecycle.Arrival(), for: OrderID(3))
        _ = runs.started(other, now: second(1))
        #expect(runs.deadline == EngineInstant(sinceStart: .milliseconds(500)))
        let first = runs.deadlineReached(now: second(1))
        #expect(first.kill.isEmpty && first.steady.map(\.0) == [app] && first.steady.map(\.1) == [[OrderID(1)]])
        let second = runs.deadlineReached(now: EngineInstant(sinceStart: .seconds(5)))
        #expect(second.kill == [app] && second.steady.map(\.0) == [other] && second.steady.map(\.1) == [[OrderID(3)]])
        #expect(runs.deadline == nil)
    }
}

private let app = BundleID("com.example.Test")

private func words(_ outcome: (kill: [BundleID], steady: [(BundleID, [OrderID])])) -> String {
    let steady = outcome.steady.map { "steady \(numbers($0.1)), " }.joined()
    return (outcome.kill.isEmpty ? "" : "kill, ") + steady
}

private func words(_ run: AppRuns.Run?) -> String {
    guard let run else { return "none" }
    var words: String
    switch run.state {
    case .beginning: words = "beginning"
    case .running: words = "running"
    case .closing(.some(let until)): words = "closing by \(milliseconds(until))"
    case .closing(nil): words = "killed"
    }
    if !run.startWaits.isEmpty { words += " for \(numbers(run.startWaits))" }
    if let until = run.startUntil { words += " by \(milliseconds(until))" }
    if !run.endWaits.isEmpty { words += ", told \(numbers(run.endWaits))" }
    return words + (run.arrival.phase == .background ? ", hidden" : "")
}

private func numbers(_ orders: [OrderID]) -> String { orders.map { "\($0.rawValue)" }.joined(separator: " ") }

private func milliseconds(_ instant: EngineInstant) -> Int { Int((instant.sinceStart / .milliseconds(1)).rounded()) }
