internal import Foundation
internal import Testing

/// Goal: the table of bounds contains every limit in the code, with the right number.
@Suite struct BoundsTests {
    /// A row of `docs/bounds.md`.
    struct Row {
        var what: String
        var amount: String
        var seen: String
        var constant: String
    }

    /// Numbers named `…Max` that limit no other party: Apple's own constants, and limits of test code.
    private static let elsewhere = [
        "CoreLocation/Constants/", "LocationTesting/", "SystemSimulator/", "simulate/", "formal/",
    ]

    static func rows(in text: String) -> [Row] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let constant = cells[5].wholeMatch(of: /`([\w.]+)`/) else { return nil }
            return Row(what: cells[0], amount: cells[1], seen: cells[4], constant: String(constant.output.1))
        }
    }

    /// The number in "4,096", "64 KiB" or "30 d", in bytes or seconds; other words are ignored.
    static func value(of amount: String) -> Double? {
        let units: [String: Double] = [
            "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824, "ms": 0.001, "min": 60, "h": 3600, "d": 86_400,
        ]
        let words = amount.split(separator: " ")
        guard let number = words.first, let count = Double(number.filter { $0 != "," }) else { return nil }
        return count * (words.dropFirst().first.flatMap { units[String($0)] } ?? 1)
    }

    /// The error of a row; nil if it is right.
    static func complaint(about row: Row, _ constants: ConstantIndex) -> String? {
        let found = constants.found(row.constant)
        guard let stated = self.value(of: row.amount) else { return "\(row.constant): \(row.amount) is not a number" }
        guard !found.isEmpty else { return "\(row.constant): no constant of this name has a plain number in Sources" }
        let values = Set(found.map(\.value))
        guard values.count == 1, let value = values.first else {
            return "\(row.constant) means \(found.map { "\($0.path):\($0.line)" }); put its target or type in front"
        }
        return value == stated ? nil : "\(row.constant) is \(value) in \(found[0].path); the table says \(row.amount)"
    }

    /// The limits that no row names.
    static func missing(_ rows: [Row], _ constants: ConstantIndex) -> [String] {
        let named = Set(rows.flatMap { constants.found($0.constant).map { "\($0.path):\($0.name)" } })
        return constants.all.compactMap { constant in
            guard constant.name.hasSuffix("Max"), !named.contains("\(constant.path):\(constant.name)"),
                !self.elsewhere.contains(where: { constant.path.contains($0) })
            else { return nil }
            return "\(constant.path):\(constant.line): \(constant.name) has no row in docs/bounds.md"
        }
    }

    @Test func everyBoundOfTheTableIsThatOfTheCode() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/bounds.md").text)
        let constants = ConstantIndex(try SourceTree.files(in: ["Sources", "Tools"], ending: ".swift"))
        #expect(rows.count > 70)
        let complaints = rows.compactMap { Self.complaint(about: $0, constants) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func everyBoundOfTheCodeIsInTheTable() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/bounds.md").text)
        let missing = Self.missing(
            rows,
            ConstantIndex(try SourceTree.files(in: ["Sources", "Tools"], ending: ".swift"))
        )
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
    }

    /// If nothing reports that a limit was reached, only its victims notice.
    @Test func everyBoundIsSeenByWhatTheTableSays() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/bounds.md").text)
        let code = try SourceTree.files(in: ["Sources", "Tools"], ending: ".swift").map(\.text).joined()
        for row in rows {
            #expect(!row.seen.isEmpty && row.seen != "—", "\(row.constant): a counter or a reply is due")
            for name in row.seen.matches(of: /`(\w+)`/).map(\.output.1) {
                #expect(code.contains(name), "\(row.constant) is seen by \(name), which Sources do not have")
            }
        }
    }

    @Test func aWrongRowAndAMissingOneAreFound() {
        let constants = ConstantIndex([
            SourceTree.File(
                path: "Sources/A/One.swift",
                text: "struct One {\n    static let fewMax = 1 << 10\n    var longMax: Duration = .seconds(60 * 2)\n}"
            ),
            SourceTree.File(path: "Sources/B/One.swift", text: "enum One { case x }\nlet fewMax = 5 // five"),
            SourceTree.File(
                path: "Sources/B/Two.swift",
                text: "struct Two {\n    init(\n        lateMax: Int = 16,\n        a: Int = b\n    ) {}\n"
                    + "    static var manyMax: Int { 128 }\n    var sumMax: Int { self.a * 3 }\n}"
            ),
        ])
        func row(_ amount: String, _ constant: String) -> Row {
            Self.rows(in: "| a | \(amount) | b | c | d | `\(constant)` |")[0]
        }
        #expect(Self.complaint(about: row("1 KiB", "A.One.fewMax"), constants) == nil)
        #expect(Self.complaint(about: row("2 min", "One.longMax"), constants) == nil)
        #expect(Self.complaint(about: row("16 of them", "Two.lateMax"), constants) == nil)
        #expect(Self.complaint(about: row("128", "Two.manyMax"), constants) == nil)
        #expect(Self.complaint(about: row("1,025", "A.One.fewMax"), constants) != nil)
        #expect(Self.complaint(about: row("1,024", "One.fewMax"), constants)?.contains("in front") == true)
        #expect(Self.complaint(about: row("3", "Two.sumMax"), constants)?.contains("no constant") == true)
        #expect(Self.complaint(about: row("few", "Two.manyMax"), constants)?.contains("not a number") == true)
        let rows = [row("1 KiB", "A.One.fewMax"), row("2 min", "One.longMax"), row("16", "Two.lateMax")]
        #expect(Self.missing(rows, constants).count == 2)
    }
}
