internal import WhereaboutsVocabulary

/// Formats rows and titles as a table for people.
enum Table {
    /// A cell of a row, with its colour, if any.
    struct Cell: ExpressibleByStringInterpolation {
        let text: String
        let colour: Terminal.Colour?

        init(_ text: String, _ colour: Terminal.Colour? = nil) {
            self.text = text
            self.colour = colour
        }

        init(stringLiteral text: String) {
            self.init(text)
        }
    }

    /// The lines to print.
    ///
    /// - Parameters:
    ///   - titles: the titles of the columns.
    ///   - rows: a text of each column.
    ///   - columns: the width of the terminal, if there is one; if the table is wider, each row is shown as a list.
    /// - Returns: the lines.
    static func lines(_ titles: [String], _ rows: [[String]], in columns: Int? = Terminal.columns) -> [String] {
        let lines = Self.lines(titles, rows.map { $0.map { Cell($0) } }, isColoured: false)
        guard let columns, lines.contains(where: { $0.columns > columns }) else { return lines }
        // If the terminal wraps lines, the columns cannot be told apart.
        let width = titles.map(\.columns).max() ?? 0
        var list: [String] = []
        for row in rows {
            if !list.isEmpty { list.append("") }
            for (title, text) in zip(titles, row) {
                let gap = String(repeating: " ", count: width - title.columns + 2)
                list.append(title + gap + text)
            }
        }
        return list
    }

    /// The lines to print, in colours if `isColoured`.
    static func lines(_ titles: [String], _ rows: [[Cell]], isColoured: Bool) -> [String] {
        let cells = [titles.map { Cell($0, .title) }] + rows
        let widths = titles.indices.map { column in cells.map { $0[column].text.columns }.max() ?? 0 }
        return cells.map { row in
            // No spaces after the last text of a line.
            let end = row.lastIndex { !$0.text.isEmpty } ?? 0
            return zip(row, widths).prefix(end + 1).enumerated().map { column, pair in
                let (cell, width) = pair
                let text = Terminal.coloured(cell.text, isColoured ? cell.colour : nil)
                return column == end ? text : text + String(repeating: " ", count: max(0, width - cell.text.columns))
            }
            .joined(separator: "  ")
        }
    }
}
