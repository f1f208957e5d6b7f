/// The limits of all ratios that the benchmarks print, as `Benchmarks/limits.tsv` lists them.
public struct Limits: Sendable {
    /// A line that is not a valid limit.
    public struct Malformed: Error, Hashable, CustomStringConvertible {
        /// The line's number, from 1.
        public let line: Int
        /// The fault.
        public let fault: String

        /// The place of the line, and its fault.
        public var description: String { "Benchmarks/limits.tsv:\(self.line): \(self.fault)" }
    }

    /// The columns, in the order of the first line.
    public static let columns = ["benchmark", "figure", "side", "bound", "date", "machine", "source"]

    /// The limits, in the order of their lines.
    public let all: [Limit]

    /// Reads the table: the line of column names, then one limit a line, its columns separated by tabs.
    ///
    /// - Parameter text: the contents of the file.
    /// - Throws: ``Malformed`` for the first line that is invalid, or that limits the same figure again.
    public init(_ text: String) throws(Malformed) {
        var all: [Limit] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            if index == 0 {
                guard cells == Self.columns else { throw Malformed(line: 1, fault: "the columns are \(Self.columns)") }
            } else if !line.isEmpty {
                let limit = try Self.limit(cells, line: index + 1)
                guard !all.contains(where: { $0.benchmark == limit.benchmark && $0.figure == limit.figure }) else {
                    throw Malformed(line: index + 1, fault: "\(limit.benchmark) \(limit.figure) has a limit already")
                }
                all.append(limit)
            }
        }
        self.all = all
    }

    private static func limit(_ cells: [String], line: Int) throws(Malformed) -> Limit {
        guard cells.count == Self.columns.count, !cells.contains("") else {
            throw Malformed(line: line, fault: "a limit has \(Self.columns.count) columns, none of them empty")
        }
        guard let side = Limit.Side(rawValue: cells[2]) else {
            throw Malformed(line: line, fault: "the side is `most` or `least`, not `\(cells[2])`")
        }
        guard let bound = Double(cells[3]), bound > 0, bound.isFinite else {
            throw Malformed(line: line, fault: "the bound is a number above 0, not `\(cells[3])`")
        }
        return Limit(
            benchmark: cells[0],
            figure: cells[1],
            side: side,
            bound: bound,
            date: cells[4],
            machine: cells[5],
            source: cells[6]
        )
    }
}
