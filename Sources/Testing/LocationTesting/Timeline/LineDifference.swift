/// The lines in which a text differs from the expected one, with a few lines around.
struct LineDifference {
    /// The unchanged lines to show before and after a change.
    private static let context = 2

    /// One line of both texts, or of one of them.
    private struct Line {
        let mark: String
        let text: String
        var isChange: Bool { self.mark != " " }
    }

    private let lines: [Line]

    /// Compares two texts, except empty lines at their beginnings and ends; nil if they are equal.
    init?(_ found: String, from expected: String) {
        let (expected, found) = (Self.lines(of: expected), Self.lines(of: found))
        let difference = found.difference(from: expected)
        guard !difference.isEmpty else { return nil }
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (old, new) = (0, 0)
        while old < expected.count || new < found.count {
            if removed.contains(old) {
                lines.append(Line(mark: "-", text: String(expected[old])))
                old += 1
            } else if inserted.contains(new) {
                lines.append(Line(mark: "+", text: String(found[new])))
                new += 1
            } else {
                lines.append(Line(mark: " ", text: String(found[new])))
                (old, new) = (old + 1, new + 1)
            }
        }
        self.lines = lines
    }

    private static func lines(of text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { !$0.isEmpty }), let last = lines.lastIndex(where: { !$0.isEmpty })
        else { return [] }
        return Array(lines[first...last])
    }

    /// The changes, as `diff` shows them.
    var words: String {
        let changes = self.lines.indices.filter { self.lines[$0].isChange }
        let shown = Set(changes.flatMap { $0 - Self.context...$0 + Self.context })
        var words: [String] = []
        for (number, line) in self.lines.enumerated() {
            if shown.contains(number) {
                words.append("\(line.mark) \(line.text)")
            } else if number == 0 || shown.contains(number - 1) {
                words.append("  …")
            }
        }
        return words.joined(separator: "\n")
    }
}
