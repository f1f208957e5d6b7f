internal import Foundation
internal import Testing

/// Packages are bounded from below and from above (ADR 0002): there is no lock file to hold them.
@Suite struct ManifestTests {
    /// Whether a dependency has a lowest version, and ends before the next major one.
    static func isBounded(_ line: Substring) -> Bool {
        line.firstMatch(of: /, (?:from: "[1-9]\d*\.\d+\.\d+"|"\d+\.\d+\.\d+"\.\.[.<]"?\d+\.\d+\.\d+"?)\)/) != nil
    }

    @Test func everyPackageIsBounded() throws {
        let text = try SourceTree.file("Package.swift").text
        let dependencies = text.split(separator: "\n").filter { $0.contains(".package(url:") }
        #expect(dependencies.count > 10)
        for line in dependencies { #expect(Self.isBounded(line), "Package.swift: \(line)") }
    }

    @Test(arguments: [
        (#".package(url: "https://a/b", from: "1.2.3"),"#, true),
        (#".package(url: "https://a/b", "1.2.3"..<"1.4.0"),"#, true),
        // Below 1.0.0 every minor version may break, and `from:` lets it in.
        (#".package(url: "https://a/b", from: "0.2.3"),"#, false),
        (#".package(url: "https://a/b", branch: "main"),"#, false),
        (#".package(url: "https://a/b", "1.2.3"...),"#, false),
    ])
    func aPackageWithoutBoundsIsFound(_ line: String, _ isBounded: Bool) {
        #expect(Self.isBounded(Substring(line)) == isBounded)
    }
}
