internal import Foundation

/// The imports that each target may have, as `Tests/TidyTests/imports.txt` lists it.
struct ImportTable {
    /// A row: the imports that one target may have.
    struct Row: Hashable {
        let target: String
        let modules: Set<String>
        /// The group above it, such as `pure`.
        let group: String
    }

    private(set) var rows: [Row] = []
    /// The reason of each group.
    private(set) var reasons: [String: String] = [:]
    /// The lines that are neither a comment, a group nor a row.
    private(set) var malformed: [String] = []

    init(_ text: String) {
        var group = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if let head = line.wholeMatch(of: /\[([a-z]+)\] (.+)/) {
                group = String(head.output.1)
                self.reasons[group] = String(head.output.2)
            } else if let row = line.wholeMatch(of: /([A-Za-z0-9_-]+):((?: [A-Za-z0-9_]+)*)/), !group.isEmpty {
                let modules = row.output.2.split(separator: " ").map(String.init)
                self.rows.append(Row(target: String(row.output.1), modules: Set(modules), group: group))
            } else {
                self.malformed.append(String(line))
            }
        }
    }

    /// The table of this repository.
    static func ours() throws -> ImportTable {
        let place = SourceTree.root.appending(path: "Tests/TidyTests/imports.txt")
        return ImportTable(try String(contentsOf: place, encoding: .utf8))
    }

    /// Returns a target, and everything it may import indirectly.
    func reach(of target: String) -> Set<String> {
        let modules = Dictionary(self.rows.map { ($0.target, $0.modules) }) { first, _ in first }
        var (reached, next): (Set<String>, Set<String>) = ([], [target])
        while !next.isEmpty {
            reached.formUnion(next)
            next = Set(next.flatMap { modules[$0] ?? [] }).subtracting(reached)
        }
        return reached
    }

    /// Compares the table with the targets and their imports.
    ///
    /// - Parameters:
    ///   - targets: the names in the manifest.
    ///   - imports: what each of them imports, and the file that does.
    /// - Returns: a complaint for each difference; none when the table is true.
    func complaints(targets: [String], imports: [String: [String: String]]) -> [String] {
        var found = self.malformed.map { "not a row: \($0)" }
        let known = Dictionary(grouping: self.rows, by: \.target)
        found += targets.filter { known[$0] == nil }.map { target in
            let row = ([target + ":"] + (imports[target] ?? [:]).keys.sorted()).joined(separator: " ")
            return "the target \(target) has no row; below which group's reason does `\(row)` belong?"
        }
        found += known.filter { $0.value.count > 1 }.map { "\($0.key) has \($0.value.count) rows" }
        for row in self.rows {
            guard targets.contains(row.target) else {
                found.append("\(row.target) is not a target")
                continue
            }
            let imported = imports[row.target] ?? [:]
            for (module, file) in imported where !row.modules.contains(module) {
                let reason = self.reasons[row.group] ?? ""
                found.append("\(file) imports \(module), which \(row.target)'s row does not allow: \(reason)")
            }
            // An unused permission would hide the next such import.
            found += row.modules.filter { imported[$0] == nil }
                .map { "\(row.target) does not import \($0) any more; take it out of its row" }
        }
        return found.sorted()
    }
}
