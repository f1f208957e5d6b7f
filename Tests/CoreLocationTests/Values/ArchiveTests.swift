internal import Foundation
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import CoreLocation

/// Goal: values are unchanged after archiving, and invalid archives throw an error.
@Suite struct ArchiveTests {
    private func again<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func locations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var fields = CLLocation.Fields()
        fields.coordinate = .init(latitude: generator.number(), longitude: generator.number())
        fields.altitude = generator.number()
        fields.ellipsoidalAltitude = generator.number()
        fields.horizontalAccuracy = generator.number()
        fields.verticalAccuracy = generator.number()
        fields.course = generator.number()
        fields.courseAccuracy = generator.number()
        fields.speed = generator.number()
        fields.speedAccuracy = generator.number()
        fields.timestamp = Date(timeIntervalSinceReferenceDate: generator.number())
        if seed % 2 == 0 { fields.floor = CLFloor(level: Int.random(in: -5...100, using: &generator)) }
        if seed % 3 == 0 {
            fields.sourceInformation = .init(
                softwareSimulationState: seed % 4 == 0,
                andExternalAccessoryState: seed % 5 == 0
            )
        }
        let location = CLLocation(fields)
        let other = try self.again(location)
        func numbers(_ location: CLLocation) -> [UInt64] {
            [
                location.coordinate.latitude, location.coordinate.longitude, location.altitude,
                location.ellipsoidalAltitude, location.horizontalAccuracy, location.verticalAccuracy, location.course,
                location.courseAccuracy, location.speed, location.speedAccuracy,
                location.timestamp.timeIntervalSinceReferenceDate,
            ].map { $0.isNaN ? 0 : $0.bitPattern }
        }
        #expect(numbers(location) == numbers(other))
        #expect(location.floor?.level == other.floor?.level)
        #expect(location.sourceInformation?.description == other.sourceInformation?.description)
    }

    @Test func everythingElse() throws {
        var heading = CLHeading.Fields()
        heading.magneticHeading = 12
        heading.headingAccuracy = 3
        heading.z = -40
        #expect(try self.again(CLHeading(heading)).description == CLHeading(heading).description)

        var visit = CLVisit.Fields()
        visit.coordinate = LocationTests.berlin
        visit.horizontalAccuracy = 40
        visit.arrivalDate = Date(timeIntervalSince1970: 1e9)
        let again = try self.again(CLVisit(visit))
        #expect(again.description == CLVisit(visit).description)
        #expect(again.departureDate == .distantFuture)

        let circle = CLCircularRegion(center: LocationTests.berlin, radius: 50, identifier: "Tor")
        circle.notifyOnExit = false
        let circleAgain = try self.again(circle)
        #expect(circleAgain.description == circle.description && !circleAgain.notifyOnExit && circleAgain.notifyOnEntry)

        let beacons = CLBeaconRegion(uuid: RegionTests.uuid, major: 0, minor: 65535, identifier: "x")
        beacons.notifyEntryStateOnDisplay = true
        let beaconsAgain = try self.again(beacons)
        #expect(beaconsAgain.description == beacons.description && beaconsAgain.notifyEntryStateOnDisplay)
        let constraint = CLBeaconIdentityConstraint(uuid: RegionTests.uuid, major: 3)
        #expect(try self.again(constraint) == constraint)

        var beacon = CLBeacon.Fields(uuid: RegionTests.uuid)
        beacon.minor = 9
        beacon.proximity = .near
        beacon.rssi = -70
        beacon.accuracy = 1.25
        #expect(try self.again(CLBeacon(beacon)).description == CLBeacon(beacon).description)
    }

    @Test func placemarks() throws {
        var fields = CLPlacemark.Fields()
        fields.name = "Brandenburger Tor"
        fields.locality = "Berlin"
        fields.isoCountryCode = "DE"
        fields.timeZone = TimeZone(identifier: "Europe/Berlin")
        fields.location = CLLocation(latitude: 52.5163, longitude: 13.3777)
        fields.region = CLCircularRegion(center: LocationTests.berlin, radius: 50, identifier: "Tor")
        fields.areasOfInterest = ["Pariser Platz", "Tiergarten"]
        let placemark = CLPlacemark(fields)
        let again = try self.again(placemark)
        #expect(again.name == placemark.name && again.isoCountryCode == "DE" && again.country == nil)
        #expect(again.timeZone == placemark.timeZone && again.areasOfInterest == placemark.areasOfInterest)
        #expect(again.location?.description == placemark.location?.description)
        #expect((again.region as? CLCircularRegion)?.radius == 50)
        #expect(CLPlacemark(placemark: again).locality == "Berlin")
    }

    /// Goal: a truncated archive throws an error, wherever it is cut.
    @Test func archivesCutShort() throws {
        let location = CLLocation(latitude: 1, longitude: 2)
        let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
        for length in 0..<data.count {
            #expect(throws: (any Error).self) {
                try #require(
                    try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data.prefix(length))
                )
            }
        }
    }

    /// Goal: an archive of another class throws an error if both classes are allowed.
    ///
    /// If only one is allowed, Foundation on Linux ends the process (docs/compatibility.md).
    @Test func archivesOfSomethingElse() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: CLHeading(), requiringSecureCoding: true)
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [CLLocation.self, CLHeading.self], from: data)
        #expect(object is CLHeading)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(CLLocation(coder: unarchiver) == nil)
    }

    @Test func wholeNumbersThatDoNotFit() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(1.5, forKey: "level")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(CLFloor(coder: unarchiver) == nil)
    }

    @Test func missingValues() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.finishEncoding()
        for make in [
            { CLLocation(coder: $0) }, { CLHeading(coder: $0) }, { CLVisit(coder: $0) }, { CLFloor(coder: $0) },
            { CLRegion(coder: $0) }, { CLCircularRegion(coder: $0) }, { CLBeaconRegion(coder: $0) },
            { CLBeacon(coder: $0) }, { CLBeaconIdentityConstraint(coder: $0) },
            { CLLocationSourceInformation(coder: $0) },
        ] as [(NSCoder) -> NSObject?] {
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            #expect(make(unarchiver) == nil)
        }
    }
}

extension SeededGenerator {
    /// A number of any size, or a special value such as infinity.
    mutating func number() -> Double {
        let special: [Double] = [
            .nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        let index = Int.random(in: 0..<20, using: &self)
        return index < special.count ? special[index] : .random(in: -1e6...1e6, using: &self)
    }
}
