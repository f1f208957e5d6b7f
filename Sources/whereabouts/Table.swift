internal import Vocabulary

/// Rows under their titles, in columns, for a person.
enum Table {
    /// A text of a row, in a colour where that is shown; nil: in none.
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
    static func lines(_ titles: [String], _ rows: [[String]]) -> [String] {
        Self.lines(titles, rows.map { $0.map { Cell($0) } }, isColoured: false)
    }

    /// The lines to print, in colours where that is shown.
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
