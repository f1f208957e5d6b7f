internal import Testing

/// Goal: the programs' version equals the changelog's.
struct ReleaseTests {
    @Test func programsSayTheNewestVersionOfTheChangelog() throws {
        let newest = Self.newest(in: try SourceTree.file("CHANGELOG.md").text)
        #expect(
            try SourceTree.file("Sources/Support/Vocabulary/Release.swift").text.contains("version = \"\(newest)\"")
        )
    }

    @Test func newestIsTheFirstThatIsNamed() {
        #expect(Self.newest(in: "# Unreleased\n- a\n") == "unreleased")
        #expect(Self.newest(in: "# Unreleased\n\n# 1.2.0 (2027-01-01)\n\n# 1.1.0 (2026-12-01)\n") == "1.2.0")
    }

    private static func newest(in changelog: String) -> String {
        let titles = changelog.split(separator: "\n").filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
        return titles.first { $0 != "Unreleased" }?.split(separator: " ").first.map(String.init) ?? "unreleased"
    }
}
