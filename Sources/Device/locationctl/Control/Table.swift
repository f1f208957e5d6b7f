internal import WhereaboutsVocabulary

/// Rows of text in columns.
struct Table: CustomStringConvertible {
    let rows: [[String]]

    var description: String {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            self.rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
        }
        return self.rows.map { row in
            let cells = zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.columns)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
