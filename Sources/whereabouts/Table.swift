/// Rows under their titles, in columns, for a person.
enum Table {
    /// The lines to print.
    static func lines(_ titles: [String], _ rows: [[String]]) -> [String] {
        let cells = [titles] + rows
        let widths = titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
            return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}
