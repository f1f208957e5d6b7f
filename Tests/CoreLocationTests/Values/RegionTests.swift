internal import Foundation
internal import Testing

@testable internal import CoreLocation

@Suite struct RegionTests {
    static let center = CLLocationCoordinate2D(latitude: 48, longitude: 11)
    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    @Test func aCircleContainsWhatIsWithinItsRadius() {
        let region = CLCircularRegion(center: Self.center, radius: 100, identifier: "home")
        // 0.0008° of latitude are 88.9 m here, 0.001° 111.2 m.
        #expect(region.contains(Self.center))
        #expect(region.contains(CLLocationCoordinate2D(latitude: 48.0008, longitude: 11)))
        #expect(!region.contains(CLLocationCoordinate2D(latitude: 48.001, longitude: 11)))
        #expect(!region.contains(kCLLocationCoordinate2DInvalid))
    }

    @Test(arguments: [-1, .nan, -.infinity] as [Double]) func aCircleOfNoRadiusContainsNothing(_ radius: Double) {
        #expect(!CLCircularRegion(center: Self.center, radius: radius, identifier: "").contains(Self.center))
    }

    @Test func aCircleAroundNowhereContainsNothing() {
        let nowhere = CLLocationCoordinate2D(latitude: .nan, longitude: 0)
        #expect(!CLCircularRegion(center: nowhere, radius: .infinity, identifier: "").contains(Self.center))
        #expect(CLCircularRegion(center: Self.center, radius: .infinity, identifier: "").contains(.init()))
    }

    @Test func regionsOfNothingCanBeMade() {
        let circle = CLCircularRegion()
        #expect(circle.identifier.isEmpty && circle.radius == 0 && !circle.contains(Self.center))
        let beacons = CLBeaconRegion()
        #expect(beacons.identifier.isEmpty && beacons.major == nil && beacons.minor == nil)
        #expect(beacons.uuid.uuidString == "00000000-0000-0000-0000-000000000000")
    }

    @Test func regionsAreEqualByTheirNames() {
        let one = CLCircularRegion(center: Self.center, radius: 1, identifier: "a")
        let same = CLCircularRegion(center: Self.center, radius: 2, identifier: "a")
        let other = CLCircularRegion(center: Self.center, radius: 1, identifier: "b")
        #expect(one == same && one != other)
        #expect(Set<CLRegion>([one, same, other]).count == 2)
    }

    @Test func copiesKeepEverything() throws {
        let region = CLCircularRegion(center: Self.center, radius: 100, identifier: "home")
        region.notifyOnExit = false
        let copy = try #require(region.copy() as? CLCircularRegion)
        #expect(copy !== region && copy.radius == 100 && copy.notifyOnEntry && !copy.notifyOnExit)
        let beacons = CLBeaconRegion(uuid: Self.uuid, major: 7, identifier: "shop")
        beacons.notifyEntryStateOnDisplay = true
        beacons.notifyOnEntry = false
        let other = try #require(beacons.copy() as? CLBeaconRegion)
        #expect(other.major == 7 && other.minor == nil && other.notifyEntryStateOnDisplay && !other.notifyOnEntry)
    }

    @Test func constraintsAreEqualByTheirBeacons() {
        let one = CLBeaconIdentityConstraint(uuid: Self.uuid, major: 1)
        #expect(one == CLBeaconIdentityConstraint(uuid: Self.uuid, major: 1))
        #expect(one != CLBeaconIdentityConstraint(uuid: Self.uuid))
        #expect(one != CLBeaconIdentityConstraint(uuid: Self.uuid, major: 1, minor: 0))
        #expect([one: 1][CLBeaconRegion(beaconIdentityConstraint: one, identifier: "").beaconIdentityConstraint] == 1)
    }

    /// Goal: the payload equals an iBeacon's advertisement: the UUID, two big-endian numbers and a signed strength.
    @Test func aRegionTellsWhatToAdvertise() {
        func bytes(_ region: CLBeaconRegion, _ power: NSNumber?) -> [UInt8]? {
            (region.peripheralData(withMeasuredPower: power)["kCBAdvDataAppleBeaconKey"] as? Data).map { Array($0) }
        }
        let one = CLBeaconRegion(uuid: Self.uuid, major: 0x0102, minor: 0xFFFE, identifier: "")
        #expect(bytes(one, -60) == Array(1...16) + [1, 2, 0xFF, 0xFE, 0xC4])
        #expect(bytes(CLBeaconRegion(uuid: Self.uuid, identifier: ""), nil) == Array(1...16) + [0, 0, 0, 0, 0xC5])
        #expect(bytes(one, 1_000_000)?.last == 127)
    }
}
