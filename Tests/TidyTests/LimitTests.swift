internal import BenchmarkLimits
internal import Foundation
internal import Testing

/// Tests the comparison of ratios with their limits, with fixed figures, to prove that it can fail.
@Suite struct LimitTests {
    static let table = """
        benchmark\tfigure\tside\tbound\tdate\tmachine\tsource
        ask\tp50\tmost\t6.5\t2026-11-21\t2 cores\tADR 0012
        sim\tspeed\tleast\t0.25\t2026-11-21\t2 cores\tmeasured
        """

    private static func check() throws -> LimitCheck { LimitCheck(try Limits(self.table)) }

    @Test func ratiosOnTheRightSideOfTheirLimitsPass() throws {
        var check = try Self.check()
        #expect(check.measured("ask", "p50", ratio: 6.5) == "limit at most 6.5")
        #expect(check.measured("sim", "speed", ratio: 0.25) == "limit at least 0.25")
        #expect(check.ended(["ask", "sim"]) == ["2 ratios, 0 complaints"])
        #expect(check.complaints.isEmpty)
    }

    @Test(arguments: [("ask", "p50", 6.51), ("ask", "p50", .nan), ("sim", "speed", 0.24)])
    func aRatioPastItsLimitIsNamedWithTheLimitAndTheRemedy(_ name: String, _ figure: String, _ ratio: Double) throws {
        var check = try Self.check()
        #expect(check.measured(name, figure, ratio: ratio).hasSuffix(", past it"))
        let complaint = try #require(check.complaints.first)
        #expect(complaint.hasPrefix("\(name) \(figure): ratio \(ratio) is past its limit at "))
        #expect(complaint.contains("`make bench NAME=\(name)`"))
    }

    @Test func aRatioWithoutALimitFails() throws {
        var check = try Self.check()
        #expect(check.measured("ask", "p42", ratio: 1) == "no limit")
        #expect(check.complaints.first?.hasPrefix("ask p42 has no limit; add its line") == true)
    }

    @Test func aLimitWhoseFigureIsGoneFailsOnceItsBenchmarkRan() throws {
        var check = try Self.check()
        _ = check.measured("ask", "p50", ratio: 1)
        _ = check.ended(["ask"])
        #expect(check.complaints.isEmpty)
        _ = check.ended(["ask", "sim"])
        #expect(check.complaints.first?.hasPrefix("sim has no figure speed any more") == true)
    }

    @Test func aBenchmarkWithoutItsReferenceIsNamed() throws {
        var check = try Self.check()
        check.notMeasured("sim", reason: "a tool is missing")
        let lines = check.ended(["sim"])
        #expect(lines.first == "sim: NOT MEASURED, its limits are unchecked: a tool is missing")
        #expect(check.complaints.isEmpty)
    }

    @Test(arguments: [
        ("", 1), ("benchmark\tfigure\n", 1), (table + "\nask\tp50\tmost\t7\td\tm\ts", 4),
        (table + "\nask\tp9\tbelow\t7\td\tm\ts", 4), (table + "\nask\tp9\tmost\tseven\td\tm\ts", 4),
        (table + "\nask\tp9\tmost\t7\t\tm\ts", 4), (table + "\nask\tp9\tmost\t7", 4),
    ])
    func aLineThatIsNoLimitIsFound(_ text: String, _ line: Int) {
        let fault = #expect(throws: Limits.Malformed.self) { try Limits(text) }
        #expect(fault?.line == line)
    }

    @Test func theTableInTheTreeIsOne() throws {
        let text = try String(contentsOf: SourceTree.root.appending(path: "Benchmarks/limits.tsv"), encoding: .utf8)
        let limits = try Limits(text).all
        #expect(limits.count > 30)
        for limit in limits {
            #expect(limit.date.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil, "\(limit.benchmark) \(limit.figure)")
        }
    }
}
