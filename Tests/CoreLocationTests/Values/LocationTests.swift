internal import Foundation
internal import Testing

@testable internal import CoreLocation

@Suite struct LocationTests {
    static let berlin = CLLocationCoordinate2D(latitude: 52.5163, longitude: 13.3777)

    @Test func aLocationHoldsWhatItWasMadeWith() {
        let time = Date(timeIntervalSince1970: -1)
        let source = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
        let location = CLLocation(
            coordinate: Self.berlin,
            altitude: 34,
            horizontalAccuracy: 5,
            verticalAccuracy: 3,
            course: 270,
            courseAccuracy: 4,
            speed: 1.5,
            speedAccuracy: 0.5,
            timestamp: time,
            sourceInfo: source
        )
        #expect(location.coordinate.latitude == 52.5163 && location.coordinate.longitude == 13.3777)
        #expect((location.altitude, location.horizontalAccuracy, location.verticalAccuracy) == (34, 5, 3))
        #expect((location.course, location.courseAccuracy) == (270, 4))
        #expect((location.speed, location.speedAccuracy) == (1.5, 0.5))
        #expect(location.timestamp == time && location.sourceInformation == source && location.floor == nil)
    }

    @Test func whatIsNotGivenIsNotKnown() {
        let location = CLLocation(latitude: 1, longitude: 2)
        #expect(location.horizontalAccuracy == 0 && location.verticalAccuracy < 0)
        #expect(location.course < 0 && location.courseAccuracy < 0)
        #expect(location.speed < 0 && location.speedAccuracy < 0)
        #expect(location.ellipsoidalAltitude == 0)
        #expect(CLLocation().horizontalAccuracy < 0)
    }

    /// Goal: the value is not nil, as on Apple's simulator, because wrapper libraries force-unwrap it.
    @Test func theSourceOfALocationIsAlwaysTold() throws {
        for location in [CLLocation(), CLLocation(latitude: 1, longitude: 2)] {
            let source = try #require(location.sourceInformation)
            #expect(!source.isSimulatedBySoftware && !source.isProducedByAccessory)
            #expect(location.sourceInformation == source)
        }
    }

    @Test func aVisitOfWhichNothingIsKnownHasApplesValues() {
        let visit = CLVisit()
        #expect(visit.horizontalAccuracy == 0 && visit.coordinate.latitude == 0 && visit.coordinate.longitude == 0)
        #expect(visit.arrivalDate == .distantPast && visit.departureDate == .distantFuture)
    }

    /// Goal: the distance is measured along the ellipsoid; GeodSolve -i prints 881329.942153 m.
    @Test func distancesAreThoseOnTheEllipsoid() {
        let berlin = CLLocation(latitude: 52.5163, longitude: 13.3777)
        let paris = CLLocation(latitude: 48.8584, longitude: 2.2945)
        #expect(abs(berlin.distance(from: paris) - Self.berlinToParis) < 0.001)
        #expect(berlin.distance(from: paris) == paris.distance(from: berlin))
        #expect(berlin.distance(from: berlin) == 0)
    }

    static let berlinToParis = 881329.942153

    @Test(arguments: [(.nan, 0), (0, .nan), (91, 0), (0, 181), (.infinity, 0), (-180, -180)] as [(Double, Double)])
    func thereIsNoDistanceToWhatIsNotOnEarth(_ latitude: Double, _ longitude: Double) {
        let nowhere = CLLocation(latitude: latitude, longitude: longitude)
        let somewhere = CLLocation(latitude: 0, longitude: 0)
        #expect(nowhere.distance(from: somewhere).isNaN && somewhere.distance(from: nowhere).isNaN)
        #expect(!nowhere.description.isEmpty)
    }

    @Test func aLocationReadsAsApplesDoes() {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 37.33233141, longitude: -122.0312186),
            altitude: 0,
            horizontalAccuracy: 5,
            verticalAccuracy: -1,
            course: 270,
            speed: 3.524,
            timestamp: Date(timeIntervalSince1970: 0)
        )
        #expect(
            location.description
                == "<+37.33233141,-122.03121860> +/- 5.00m (speed 3.52 mps / course 270.00) @ 1970-01-01 00:00:00 +0000"
        )
    }

    @Test func theConstantsDiffer() {
        let accuracies = [
            kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
            kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
            kCLLocationAccuracyReduced,
        ]
        #expect(accuracies == accuracies.sorted() && Set(accuracies).count == accuracies.count)
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(kCLDistanceFilterNone < 0 && kCLHeadingFilterNone < 0)
    }

    @Test func theEnumerationsHaveApplesNumbers() {
        #expect((0...5).map { CLAuthorizationStatus(rawValue: $0) }.last == CLAuthorizationStatus?.none)
        #expect(CLAuthorizationStatus.authorizedAlways.rawValue == 3)
        #expect(CLActivityType(rawValue: 0) == nil && CLActivityType.maritime.rawValue == 6)
        #expect(CLDeviceOrientation.faceDown.rawValue == 6 && CLProximity.far.rawValue == 3)
        #expect(CLRegionState.outside.rawValue == 2 && CLAccuracyAuthorization.reducedAccuracy.rawValue == 1)
    }
}
