internal import Compatibility
internal import Foundation
internal import Testing

/// The module has Apple's names, but for those that docs/compatibility.md explains, and no others.
@Suite struct GapTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func whatIsMissingIsExplained() async throws {
        let gap = try await Gap.ofRepository(at: Self.root)
        #expect(gap.count > 500)
        #expect(gap.isClosed, "\(gap.report)")
    }

    @Test func everyKindOfDifferenceIsFound() async throws {
        let names = """
            # A comment
            class\tCLLocation\topen class
            class\tCLFloor\tfinal class
            struct\tCLHeading
            method\tCLLocation.distance(to:)
            method\tCLLocation.distance(from:)\t-> CLLocationDistance$
            method\tCLLocation.distance(from:)\tCLLocation)$
            conformance\tCLLocation: NSSecureCoding
            conformance\tCLLocation: Comparable
            no conformance\tCLLocationCoordinate2D: Equatable
            no conformance\tCLLocation: Sendable
            conformance\tCLCircularRegion: NSCopying
            class\tCLNothing
            method\tCLNothing.at()
            """
        let document = """
            ## Left out
            | `CLNothing` | why |
            | `CLBeacon`, `CLLocation.distance(to:)` | why |
            ## Another
            | `CLFloor` | not here |
            """
        let gap = Gap(try await BuiltModule().symbolGraph(), try NameList(names), document: document)
        #expect(
            gap.missing.map(\.name) == [
                "CLFloor", "CLHeading", "CLLocation.distance(to:)", "CLLocation.distance(from:)",
                "CLLocation: Comparable", "CLLocation: Sendable", "CLNothing", "CLNothing.at()",
            ]
        )
        #expect(gap.unexplained.count == 5 && gap.stale == ["CLBeacon"] && gap.strangers.contains("CLVisit"))
        #expect(!gap.isClosed && gap.report.hasSuffix("gap: 8 of 13 missing"))
    }

    @Test func aListWithABadLineIsRefused() {
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\nclass") }
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\tb\tc") }
    }
}
