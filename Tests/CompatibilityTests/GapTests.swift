internal import Compatibility
internal import Foundation
internal import Testing

/// Goal: the module has exactly Apple's names, except for the differences listed in docs/compatibility.md.
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
            struct\tCLServiceSession.Diagnostic\t\t\t\tno
            class\tCLRegion\t\t\t\tyes
            static method\tCLLocationUpdate.liveUpdates(_:)\t\t\t.default
            static method\tCLLocationUpdate.liveUpdates(_:)\t\t\t.fitness
            property\tCLMonitor.events\t\t\t\t\tactor
            method\tCLGeocoder.cancelGeocode()\t\t\t\t\tpreconcurrency
            method\tCLGeocoder.cancelGeocode()\t\t\t\t@Sendable
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
                "CLLocation: Comparable", "CLLocation: Sendable", "CLRegion", "CLLocationUpdate.liveUpdates(_:)",
                "CLGeocoder.cancelGeocode()", "CLGeocoder.cancelGeocode()", "CLNothing", "CLNothing.at()",
            ]
        )
        #expect(gap.unexplained.count == 9 && gap.stale == ["CLBeacon"] && gap.strangers.contains("CLVisit"))
        #expect(gap.strangers.contains("CLServiceSession.Diagnostic: Sendable"))
        #expect(!gap.isClosed && gap.report.hasSuffix("gap: 12 of 20 missing"))
    }

    /// Goal: the hand-written list of names is complete, and its numbers are right.
    @Test func theListHasWhatAnotherSourceHas() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        }
        let names = try NameList(text("docs/core-location-names.tsv"))
        let other = ObjectiveCNames(try text("docs/core-location-objc.tsv"))
        let document = try text("docs/compatibility.md")
        let objections = other.objections(to: names, document: document, newer: ["CLActivityType.maritime"])
        #expect(objections == [])
    }

    @Test func everyKindOfMistakeIsFound() throws {
        let names = try NameList(
            """
            case\tCLProximity.near\t\t3
            case\tCLProximity.nowhere\t\t7
            static property\tCLAuthorizationStatus.authorized
            method\tCLGeocoder.geocodeAddressString(_:in:completionHandler:)
            method\tCLLocationManagerDelegate.locationManager(_:didFailRangingFor:error:)
            property\tCLLocationUpdate.stationary
            """
        )
        let other = ObjectiveCNames(
            """
            # A comment
            value\tCLProximityNear\t2
            value\tCLProximityFar\t3
            value\tCL_MACRO\t1
            value\tkCLAuthorizationStatusAuthorized\t3
            constant\tkCLErrorDomain
            function\tCLLocationCoordinate2DMake
            field\tCLLocationCoordinate2D\tlatitude
            method\tCLGeocoder\tgeocodeAddressString:inRegion:completionHandler:
            method\tCLGeocoder\tgeocodeAddressString:completionHandler:
            method\tCLGeocoder\tinit
            method\tCLUpdate\tstationary
            method\tCLServiceSession\tsessionRequiringAuthorization:
            requirement\tlocationManager:didFailRangingBeaconsForConstraint:error:
            requirement\tlocationManager:didVisit:
            """
        )
        let document = """
            ## Only in Objective-C
            | `CL_MACRO`, `CLServiceSession sessionRequiringAuthorization:` | why |
            """
        #expect(
            other.objections(to: names, document: document) == [
                "CLProximity.near is 3 in the list, and CLProximityNear is 2",
                "CLProximityFar is CLProximity.far in Swift, which the list does not have",
                "the list has no constant kCLErrorDomain", "the list has no function CLLocationCoordinate2DMake",
                "the list has no CLLocationCoordinate2D.latitude",
                "the list has nothing for CLGeocoder's geocodeAddressString:completionHandler:",
                "the list has no requirement locationManager:didVisit:",
                "the list's CLProximity.nowhere is not in Objective-C",
            ]
        )
    }

    @Test func aListWithABadLineIsRefused() {
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\nclass") }
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\tb\t\t\tmaybe") }
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\t\t\t\t\tmain") }
        #expect(throws: NameList.BadLine.self) { try NameList("class\tA\tb\tc\td\te\tf\tg") }
    }
}
