internal import CoreLocation
internal import Foundation
internal import WhereaboutsLocationTesting

/// Tests for the compass of a virtual device, as an app sees it.
@Suite(.showsTimelines) struct CompassTests {
    /// An app that records the headings it receives.
    private final class Needle: NSObject, CLLocationManagerDelegate {
        let manager = CLLocationManager()
        var headings: [[Double]] = []
        var errors = 0
        var questions = 0

        init(readsPositions: Bool) {
            super.init()
            self.manager.delegate = self
            if CLLocationManager.headingAvailable() { self.manager.startUpdatingHeading() }
            if readsPositions {
                self.manager.requestWhenInUseAuthorization()
                self.manager.startUpdatingLocation()
            }
        }

        func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
            self.headings.append([newHeading.magneticHeading, newHeading.trueHeading, newHeading.headingAccuracy])
        }

        func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
            self.questions += 1
            return false
        }
    }

    private let device = VirtualDevice()

    private func open(readsPositions: Bool = false) -> VirtualApp {
        let app = self.device.install(
            AppUnderTest("com.example.Needle", object: { Needle(readsPositions: readsPositions) })
        )
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.advance(by: .seconds(5))
        return app
    }

    private func last(_ app: VirtualApp) -> [Double]? { app.read { (needle: Needle) in needle.headings.last } ?? nil }

    @Test func theMagneticHeadingNeedsNoLeaveAndTheTrueOneAPosition() {
        self.device.world.heading = 90
        self.device.world.magneticVariation = 4
        #expect(self.last(self.open()) == [86, -1, 10])
    }

    @Test func besidePositionsTheTrueHeadingIsTold() {
        self.device.world.heading = 2
        self.device.world.magneticVariation = 4
        #expect(self.last(self.open(readsPositions: true)) == [358, 2, 10])
    }

    @Test func withoutAVariationNoTrueHeadingIsInvented() {
        self.device.world.heading = 90
        #expect(self.last(self.open(readsPositions: true)) == [90, -1, 10])
    }

    @Test func aMagnetNearbyIsToldAndAskedAbout() {
        let app = self.open()
        self.device.world.isCompassDisturbed = true
        self.device.advance(by: .seconds(2))
        #expect(self.last(app) == [0, -1, -1])
        #expect(app.read { (needle: Needle) in needle.questions } == 1)
    }

    @Test func aDeviceThatMovesPointsWhereItGoes() {
        let app = self.open()
        let here = self.device.world.place
        self.device.world.go(to: .init(latitude: here.latitude, longitude: here.longitude + 0.1), at: 10)
        self.device.advance(by: .seconds(10))
        #expect(abs((self.last(app)?.first ?? 0) - 90) < 1)
    }
}
