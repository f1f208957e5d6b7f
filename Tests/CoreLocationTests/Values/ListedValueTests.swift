internal import Foundation
internal import Testing

@testable internal import CoreLocation

/// Goal: raw values, constants and defaults equal those of `docs/core-location-names.tsv`.
@Suite struct ListedValueTests {
    /// A column of the list: the values of the names that have one.
    private static func column(_ index: Int, of kinds: Set<String>) throws -> [String: String] {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: "docs/core-location-names.tsv"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
            .filter { kinds.contains($0[0]) && $0.count > index && !$0[index].isEmpty }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[1], $0[index]) })
    }

    /// The cases of an enumeration under their names.
    private static func cases<Code: RawRepresentable>(_: Code.Type, as type: String) -> [String: String]
    where Code.RawValue: FixedWidthInteger {
        let numbers = (0..<64).compactMap { number in
            Code(rawValue: number).map { ("\(type).\($0)", "\(number)") }
        }
        return Dictionary(uniqueKeysWithValues: numbers)
    }

    @Test func theCasesHaveTheirNumbers() throws {
        let module = [
            Self.cases(CLError.Code.self, as: "CLError.Code"),
            Self.cases(CLLocationPushServiceError.Code.self, as: "CLLocationPushServiceError.Code"),
            Self.cases(CLAuthorizationStatus.self, as: "CLAuthorizationStatus"),
            Self.cases(CLAccuracyAuthorization.self, as: "CLAccuracyAuthorization"),
            Self.cases(CLActivityType.self, as: "CLActivityType"),
            Self.cases(CLDeviceOrientation.self, as: "CLDeviceOrientation"),
            Self.cases(CLRegionState.self, as: "CLRegionState"), Self.cases(CLProximity.self, as: "CLProximity"),
        ]
        let all = module.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        #expect(all.count > 50)
        #expect(try Self.column(3, of: ["case"]) == all)
    }

    @Test func theConstantsHaveTheirValues() throws {
        let numbers = [
            "kCLLocationAccuracyBestForNavigation": kCLLocationAccuracyBestForNavigation,
            "kCLLocationAccuracyBest": kCLLocationAccuracyBest,
            "kCLLocationAccuracyNearestTenMeters": kCLLocationAccuracyNearestTenMeters,
            "kCLLocationAccuracyHundredMeters": kCLLocationAccuracyHundredMeters,
            "kCLLocationAccuracyKilometer": kCLLocationAccuracyKilometer,
            "kCLLocationAccuracyThreeKilometers": kCLLocationAccuracyThreeKilometers,
            "kCLLocationAccuracyReduced": kCLLocationAccuracyReduced, "kCLDistanceFilterNone": kCLDistanceFilterNone,
            "kCLHeadingFilterNone": kCLHeadingFilterNone,
        ]
        let texts = [
            "kCLErrorDomain": kCLErrorDomain, "CLLocationPushServiceErrorDomain": CLLocationPushServiceErrorDomain,
            "kCLErrorUserInfoAlternateRegionKey": kCLErrorUserInfoAlternateRegionKey,
        ]
        let all = numbers.mapValues { "\(Int($0))" }.merging(texts) { first, _ in first }
        #expect(try Self.column(3, of: ["constant"]) == all)
    }

    @Test func thePropertiesBeginWithTheirDefaults() throws {
        let manager = CLLocationManager(client: LocationClient(transport: FakeDevice(saying: nil)))
        let region = CLRegion()
        let place = CLLocationCoordinate2D()
        let values: [String: Any?] = [
            "CLLocationManager.delegate": manager.delegate,
            "CLLocationManager.authorizationStatus": manager.authorizationStatus,
            "CLLocationManager.accuracyAuthorization": manager.accuracyAuthorization,
            "CLLocationManager.location": manager.location, "CLLocationManager.heading": manager.heading,
            "CLLocationManager.activityType": manager.activityType,
            "CLLocationManager.distanceFilter": manager.distanceFilter,
            "CLLocationManager.desiredAccuracy": manager.desiredAccuracy,
            "CLLocationManager.pausesLocationUpdatesAutomatically": manager.pausesLocationUpdatesAutomatically,
            "CLLocationManager.allowsBackgroundLocationUpdates": manager.allowsBackgroundLocationUpdates,
            "CLLocationManager.showsBackgroundLocationIndicator": manager.showsBackgroundLocationIndicator,
            "CLLocationManager.headingFilter": manager.headingFilter,
            "CLLocationManager.headingOrientation": manager.headingOrientation,
            "CLLocationManager.headingBody": manager.headingBody,
            "CLLocationCoordinate2D.latitude": place.latitude, "CLLocationCoordinate2D.longitude": place.longitude,
            "CLVisit.horizontalAccuracy": CLVisit().horizontalAccuracy, "CLRegion.notifyOnEntry": region.notifyOnEntry,
            "CLRegion.notifyOnExit": region.notifyOnExit,
            "CLBeaconRegion.notifyEntryStateOnDisplay": CLBeaconRegion().notifyEntryStateOnDisplay,
        ]
        let texts = values.mapValues { value in
            if let number = value as? Double { return "\(Int(number))" }
            return value.map { "\($0)" } ?? "nil"
        }
        #expect(try Self.column(4, of: ["property"]) == texts)
    }
}
