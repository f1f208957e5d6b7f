/// Compares the ratios of one run with their limits, and records a complaint for each broken limit.
public struct LimitCheck: Sendable {
    private let limits: Limits
    private var measured: [String: Set<String>] = [:]
    private var unmeasured: [(benchmark: String, reason: String)] = []

    /// The complaints, each with its remedy; the run fails if there is one.
    public private(set) var complaints: [String] = []

    /// Begins a run.
    public init(_ limits: Limits) {
        self.limits = limits
    }

    /// Checks a ratio.
    ///
    /// - Returns: the limit in words, to print beside the ratio.
    public mutating func measured(_ benchmark: String, _ figure: String, ratio: Double) -> String {
        self.measured[benchmark, default: []].insert(figure)
        guard let limit = self.limits.all.first(where: { $0.benchmark == benchmark && $0.figure == figure }) else {
            self.complaints.append(
                "\(benchmark) \(figure) has no limit; add its line to Benchmarks/limits.tsv, with date, machine and source"
            )
            return "no limit"
        }
        let words = "limit at \(limit.side.rawValue) \(limit.bound)"
        guard limit.admits(ratio) else {
            self.complaints.append(
                """
                \(benchmark) \(figure): ratio \(ratio) is past its \(words), set on \(limit.date) (\(limit.source)). \
                Run `make bench NAME=\(benchmark)` once more while nothing else runs; if it stays, find the commit that \
                made it so. A commit that moves the limit in Benchmarks/limits.tsv says why the change is worth it.
                """
            )
            return words + ", past it"
        }
        return words
    }

    /// Records a benchmark that cannot run here, because a tool or a corpus is missing.
    public mutating func notMeasured(_ benchmark: String, reason: String) {
        self.unmeasured.append((benchmark, reason))
    }

    /// Ends the run: a limit without a measured figure is a complaint, too.
    ///
    /// - Parameter benchmarks: the benchmarks that were to run.
    /// - Returns: the lines to print at the end; a benchmark that was not measured is named.
    public mutating func ended(_ benchmarks: [String]) -> [String] {
        let ran = benchmarks.filter { name in !self.unmeasured.contains { $0.benchmark == name } }
        for limit in self.limits.all where ran.contains(limit.benchmark) {
            guard self.measured[limit.benchmark]?.contains(limit.figure) != true else { continue }
            self.complaints.append(
                """
                \(limit.benchmark) has no figure \(limit.figure) any more; take its line out of Benchmarks/limits.tsv, \
                or measure it again
                """
            )
        }
        let count = self.measured.values.map(\.count).reduce(0, +)
        return self.unmeasured.map { "\($0.benchmark): NOT MEASURED, its limits are unchecked: \($0.reason)" }
            + ["\(count) ratios, \(self.complaints.count) complaints"]
    }
}
