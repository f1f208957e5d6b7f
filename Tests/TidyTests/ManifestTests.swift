internal import Foundation
internal import Testing

/// Goal: dependencies have lower and upper version limits (ADR 0002), because there is no lock file.
@Suite struct ManifestTests {
    /// The dependencies in what `swift package dump-package` prints.
    private struct Dump: Decodable {
        struct Dependency: Decodable { let sourceControl: [SourceControl] }
        struct SourceControl: Decodable {
            let identity: String
            let requirement: Requirement
        }
        struct Requirement: Decodable { let range: [Bounds]? }
        struct Bounds: Decodable { let lowerBound, upperBound: String }

        let dependencies: [Dependency]
    }

    /// Whether a range ends before the next version with breaking changes: below 1.0.0, each minor version may have
    /// them.
    private static func isBounded(_ range: Dump.Bounds) -> Bool {
        let (lower, upper) = (range.lowerBound.split(separator: "."), range.upperBound.split(separator: "."))
        guard let major = Int(lower[0]), let minor = Int(lower[1]) else { return false }
        return upper == (major == 0 ? ["0", "\(minor + 1)", "0"] : ["\(major + 1)", "0", "0"])
    }

    @Test func everyPackageIsBounded() throws {
        let json = try SwiftPackage.run(["dump-package"], in: SourceTree.root)
        let packages = try JSONDecoder().decode(Dump.self, from: json).dependencies.flatMap(\.sourceControl)
        #expect(packages.count > 10)
        for package in packages {
            let range = package.requirement.range?.first
            #expect(range.map(Self.isBounded) == true, "\(package.identity): \(package.requirement)")
        }
    }

    @Test(arguments: [
        ("1.2.3", "2.0.0", true), ("0.6.0", "0.7.0", true), ("0.6.0", "1.0.0", false), ("1.2.3", "3.0.0", false),
    ])
    func aRangeThatIsTooWideIsFound(_ lower: String, _ upper: String, _ isBounded: Bool) {
        #expect(Self.isBounded(.init(lowerBound: lower, upperBound: upper)) == isBounded)
    }
}
