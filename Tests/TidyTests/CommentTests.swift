internal import Foundation
internal import Testing

/// Goal: comments name only existing symbols and paths.
@Suite struct CommentTests {
    /// The files whose comments are read.
    static func commented() throws -> [SourceTree.File] {
        let folders = ["Sources", "Tools", "Tests", "Examples", "Benchmarks"]
        return try [".swift", ".c", ".h", ".proto"].flatMap { try SourceTree.files(in: folders, ending: $0) }
            + SourceTree.files(in: folders + ["dev"], ending: ".py")
    }

    // MARK: Symbols

    /// The symbols that comments link to: double backquotes, as DocC reads them.
    static func links(in comment: String) -> [String] {
        guard comment.contains("``") else { return [] }
        return comment.matches(of: /(?:^|[^`])``([^`]+)``/).map { String($0.output.1) }
    }

    @Test func everySymbolThatACommentNamesIsDeclared() throws {
        let manifest = try PackageManifest.ours()
        let files = try SourceTree.files(
            in: ["Sources", "Tools", "Tests", "Examples", "Benchmarks"],
            ending: ".swift",
            generated: true
        )
        let index = SymbolIndex(files, modules: manifest.targets.flatMap { [$0.name, $0.module] }) {
            manifest.target(of: $0)?.name ?? ""
        }
        for file in files where !file.path.hasSuffix(".pb.swift") {
            let target = manifest.target(of: file.path)?.name ?? ""
            for comment in file.comments {
                for link in Self.links(in: comment.text) {
                    // The expression itself would be printed, with the whole index.
                    let isDeclared = index.has(link, in: target)
                    #expect(isDeclared, "\(file.path):\(comment.number) names ``\(link)``")
                }
            }
        }
    }

    /// Goal: an engine's comment does not refer to types of a shell or of another engine, which its reader does not
    /// know.
    @Test func everyTypeThatACommentNamesMayBeImported() throws {
        let manifest = try PackageManifest.ours()
        let table = try ImportTable.ours()
        let files = try SourceTree.files(in: ["Sources", "Tools"], ending: ".swift", generated: true)
        let index = SymbolIndex(files, modules: []) { manifest.target(of: $0)?.name ?? "" }
        var reaches: [String: Set<String>] = [:]
        for file in files where !file.path.hasSuffix(".pb.swift") {
            guard let target = manifest.target(of: file.path)?.name else { continue }
            let reach = reaches[target] ?? table.reach(of: target)
            reaches[target] = reach
            for comment in file.comments {
                for link in Self.links(in: comment.text) {
                    let targets = index.targets(declaringTypeOf: link)
                    let isInReach = targets.isEmpty || !targets.isDisjoint(with: reach)
                    #expect(isInReach, "\(file.path):\(comment.number): ``\(link)`` of \(targets) is out of reach")
                }
            }
        }
    }

    @Test func aTypeOutOfReachIsFound() {
        let table = ImportTable("[all] a reason\nA: B\nB: C\nD:\n")
        let index = SymbolIndex([SourceTree.File(path: "D", text: "struct Far { let near = 1 }")], modules: []) { $0 }
        #expect(table.reach(of: "A") == ["A", "B", "C"])
        #expect(index.targets(declaringTypeOf: "Far/near") == ["D"])
        #expect(index.targets(declaringTypeOf: "near") == [])
    }

    @Test func aSymbolThatIsNotDeclaredIsFound() {
        let file = SourceTree.File(
            path: "Sources/A/A.swift",
            text: """
                struct Machine {
                    enum State { case on(Int), off }
                    mutating func fixReceived(
                        _ fix: (Int) -> Void,
                        tellsAccuracy isTold: Bool, now: Int = f(1, b: 2)
                    ) {}
                    var deadline: Int?
                }
                """
        )
        let index = SymbolIndex([file], modules: ["A"]) { _ in "A" }
        for link in [
            "Machine", "A/Machine/State/on", "fixReceived(_:tellsAccuracy:now:)", "fixReceived", "deadline",
            "Machine/fixReceived(_:tellsAccuracy:now:)", "Machine/init(state:)",
        ] { #expect(index.has(link, in: "A"), "\(link)") }
        for link in ["fixReceived(now:)", "Machina", "Machine/State/of", "fixRecieved", "A/deadlines"] {
            #expect(!index.has(link, in: "A"), "\(link)")
        }
        #expect(!index.has("deadline", in: "B"), "a name without its type is one of the same target")
        #expect(Self.links(in: "see ``A/b(_:)`` and `c`") == ["A/b(_:)"])
    }

    // MARK: Paths

    /// The paths of this repository that a comment names.
    static func paths(in comment: String) -> [String] {
        guard comment.contains("/") else { return [] }
        let folders =
            /(?:^|[ `(\[])((?:Sources|Tools|Tests|Examples|Benchmarks|docs|dev)\/[A-Za-z0-9_.\/+-]*[A-Za-z0-9_+])/
        return comment.matches(of: folders).map { String($0.output.1) }
    }

    @Test func everyPathThatACommentNamesExists() throws {
        for file in try Self.commented() where !file.path.hasPrefix("Tests/TidyTests/") {
            for comment in file.comments {
                for path in Self.paths(in: comment.text) {
                    let place = SourceTree.root.appending(path: path).path(percentEncoded: false)
                    let exists = FileManager.default.fileExists(atPath: place)
                    #expect(exists, "\(file.path):\(comment.number) names \(path)")
                }
            }
        }
    }

    @Test func aPathIsFoundInProse() {
        #expect(Self.paths(in: "see docs/policy.md, `Tests/A` (dev/b).") == ["docs/policy.md", "Tests/A", "dev/b"])
    }

    // MARK: States

    /// The cases without a comment in the state enumerations of machines, each with its line.
    static func unexplained(in file: SourceTree.File) -> [String] {
        var found: [String] = []
        // The indentation of the enumeration that is read, as the formatter leaves it.
        var indentation: Int?
        var before: Substring = ""
        for (index, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            let depth = line.count - text.count
            if let outer = indentation {
                let isCase = depth == outer + 4 && (text.hasPrefix("case ") || text.hasPrefix("indirect case "))
                if isCase, !before.hasPrefix("///") {
                    found.append("\(file.path):\(index + 1): \(text)")
                }
                if depth == outer, text.hasPrefix("}") { indentation = nil }
            } else if text.hasSuffix("{"), text.contains(/\benum \w*(?:State|Step|Phase)\b/) {
                indentation = depth
            }
            before = text
        }
        return found
    }

    @Test func everyStateSaysWhereItsMachineIs() throws {
        let found = try SourceTree.files(in: ["Sources", "Tools", "Examples"], ending: ".swift").flatMap(
            Self.unexplained
        )
        #expect(found.isEmpty, "states without a meaning:\n\(found.joined(separator: "\n"))")
    }

    @Test func aStateWithoutAMeaningIsFound() {
        let text = """
            struct Machine {
                private enum LinkState: Hashable {
                    /// It is open.
                    case open
                    case closed(
                        Int
                    )
                    var isOpen: Bool {
                        switch self {
                        case .open: true
                        case .closed: false
                        }
                    }
                }
                enum Kind { case a }
                enum Step {
                    case one, two
                }
            }
            """
        let file = SourceTree.File(path: "a", text: text)
        #expect(Self.unexplained(in: file) == ["a:5: case closed(", "a:17: case one, two"])
    }

    @Test func commentsOfPythonAndSchemasAreRead() {
        let python = SourceTree.File(
            path: "a.py",
            text: """
                #!/usr/bin/env python3
                \"""One,
                two.\"""
                TEXT = \"""
                # three
                \"""
                def f():
                    \"""What four.\"""
                    return 5  # six
                """
        )
        #expect(python.comments.map(\.text) == ["One, two.", "What four.", "six"])
        #expect(python.comments.map(\.number) == [2, 8, 9])
        let text = "// What a says.\nmessage A {\n  uint64 id = 1;  // its name\n}"
        let schema = SourceTree.File(path: "a.proto", text: text)
        #expect(schema.comments.map(\.text) == ["What a says.", "its name"])
    }
}
