internal import Foundation
internal import Testing

/// Goal: every target of the manifest imports only what the table allows.
@Suite struct ImportTests {
    /// The modules that a file imports.
    ///
    /// An indented line belongs to the text of a template: the formatter does not indent imports.
    static func imports(in text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.compactMap { line in
                let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
                guard let position = words.firstIndex(of: "import"), position <= 1, position + 1 < words.count,
                    position == 0 || ["internal", "public", "package", "private", "fileprivate"].contains(words[0])
                else { return nil }
                // `import struct Foundation.Date` names a module, too.
                let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
                let last = words.dropFirst(position + 1).first { !kinds.contains(String($0)) } ?? ""
                return last.split(separator: ".").first.map(String.init)
            }
        )
    }

    /// The imports of each target, each with a file that contains it.
    static func imports(of manifest: PackageManifest) throws -> [String: [String: String]] {
        var imports: [String: [String: String]] = [:]
        let folders = ["Sources", "Tools", "Tests", "Examples", "Benchmarks"]
        for file in try SourceTree.files(in: folders, ending: ".swift", generated: true) {
            guard let target = manifest.target(of: file.path) else { continue }
            for module in Self.imports(in: file.text) {
                imports[target.name, default: [:]][manifest.short(module)] = file.path
            }
        }
        return imports
    }

    @Test func everyTargetImportsWhatTheTableAllowsAndNothingElse() throws {
        let manifest = try PackageManifest.ours()
        #expect(manifest.targets.count > 50)
        let complaints = try ImportTable.ours().complaints(
            targets: manifest.targets.map(\.name),
            imports: try Self.imports(of: manifest)
        )
        #expect(complaints.isEmpty, "Tests/TidyTests/imports.txt: \(complaints.joined(separator: "\n"))")
    }

    @Test func everySourceFileBelongsToATarget() throws {
        let manifest = try PackageManifest.ours()
        for file in try SourceTree.files(in: ["Sources", "Tools", "Examples", "Benchmarks"], ending: ".swift") {
            // Xcode builds these; `make ios-check` parses them.
            if file.path.hasPrefix("Examples/FindFriends-iOS/") { continue }
            #expect(manifest.target(of: file.path) != nil, "\(file.path) belongs to no target")
        }
    }

    @Test func theRuleSeesEveryFormOfImport() {
        let text = """
            import A
            internal import B
            @testable internal import C
            @_exported public import D
            internal import struct E.Part
            // import F
            let text = "import G"
                import H
            """
        #expect(Self.imports(in: text) == ["A", "B", "C", "D", "E"])
    }

    @Test func theTableObjectsToEveryDifference() {
        let table = ImportTable("# note\n[pure] no clock\nA: B\nC: Dead\nGone:\nnonsense\n")
        let imports = ["A": ["B": "a", "Glibc": "b"], "New": [:]]
        let complaints = table.complaints(targets: ["A", "C", "New"], imports: imports)
        #expect(
            complaints == [
                "C does not import Dead any more; take it out of its row", "Gone is not a target",
                "b imports Glibc, which A's row does not allow: no clock", "not a row: nonsense",
                "the target New has no row; below which group's reason does `New:` belong?",
            ]
        )
    }

    @Test func theManifestIsRead() throws {
        let json = """
            {"products": [{"targets": ["WhereaboutsA"]}], "targets": [
                {"name": "WhereaboutsA", "type": "regular", "dependencies": [{"byName": ["C", null]}]},
                {"name": "C", "type": "regular", "dependencies": [{"product": ["D", "d", null, null]}]},
                {"name": "b-c", "type": "executable", "path": "Examples/B", "dependencies": []},
                {"name": "ATests", "type": "test", "dependencies": [{"target": ["WhereaboutsA", null]}]}
            ]}
            """
        let manifest = try PackageManifest(Data(json.utf8))
        #expect(manifest.targets.map(\.name) == ["A", "C", "b-c", "ATests"])
        #expect(manifest.targets.map(\.folder) == ["Sources/WhereaboutsA", "Sources/C", "Examples/B", "Tests/ATests"])
        #expect(manifest.targetsOfProducts == ["WhereaboutsA", "C"])
        #expect(manifest.short("WhereaboutsA") == "A" && manifest.short("Foundation") == "Foundation")
        #expect(manifest.target(of: "Examples/B/main.swift")?.name == "b-c")
        #expect(manifest.target(of: "Examples/Bee/main.swift") == nil)
    }

    /// The result depends on the order of the build.
    @Test func nobodyAsksWhetherCoreLocationIsThere() throws {
        for file in try SourceTree.files(in: ["Sources", "Tools", "Examples"], ending: ".swift") {
            #expect(!file.text.contains("canImport(CoreLocation)"), "\(file.path): import CoreLocation without asking")
        }
    }
}
