internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// Tests for headings of a manager: start, delivery, rotation and errors.
@Suite struct HeadingManagerTests {
    private let held = HeldCalls()
    private let device: FakeDevice
    private let client: LocationClient
    private let delegate = RecordingDelegate()

    init() {
        self.device = FakeDevice(callbacks: self.held.context)
        self.client = LocationClient(transport: self.device)
    }

    private func make() -> CLLocationManager {
        let manager = CLLocationManager(client: self.client)
        manager.delegate = self.delegate
        _ = self.told()
        return manager
    }

    private func told() -> [String] {
        self.held.run()
        return self.delegate.take()
    }

    private func point(_ magnetic: Int32, _ geographic: Int32? = nil, accuracy: Int32? = 500) throws {
        let stream = try #require(self.device.streams.last?.id)
        self.device.tell(
            .with {
                $0.update.stream = stream
                $0.update.heading.magnetic = magnetic
                if let geographic { $0.update.heading.geographic = geographic }
                if let accuracy { $0.update.heading.accuracy = accuracy }
            }
        )
    }

    @Test func headingsAreAskedForAndTold() throws {
        let manager = self.make()
        #expect(manager.heading == nil)
        manager.startUpdatingHeading()
        #expect(self.device.streams.map(\.heading.filter) == [100])
        try self.point(9000)
        #expect(self.told() == ["heading 90 -1 5"])
        try self.point(100, 400)
        #expect(self.told() == ["heading 1 4 5"])
        #expect(manager.heading?.trueHeading == 4)
        manager.headingFilter = kCLHeadingFilterNone
        #expect(self.device.streams.map(\.heading.filter) == [-1])
        manager.stopUpdatingHeading()
        #expect(self.device.streams.isEmpty)
    }

    @Test func theNewestHeadingIsToldToABusyDelegate() throws {
        let manager = self.make()
        manager.startUpdatingHeading()
        for angle in 1...3 { try self.point(Int32(angle) * 100) }
        #expect(self.told() == ["heading 3 -1 5"])
        withExtendedLifetime(manager) {}
    }

    @Test(arguments: [
        (CLDeviceOrientation.portrait, "350 10"), (.landscapeLeft, "80 100"), (.portraitUpsideDown, "170 190"),
        (.landscapeRight, "260 280"), (.faceUp, "350 10"),
    ]) func anotherEdgeIsTheTop(_ orientation: CLDeviceOrientation, _ angles: String) throws {
        let manager = self.make()
        manager.headingOrientation = orientation
        manager.startUpdatingHeading()
        try self.point(35_000, 1000)
        #expect(self.told() == ["heading \(angles) 5"])
    }

    @Test func aDisturbedCompassAsksOnceAndIsInvalid() throws {
        let manager = self.make()
        manager.startUpdatingHeading()
        try self.point(100, accuracy: nil)
        #expect(self.told() == ["calibrate?", "heading 1 -1 -1"])
        try self.point(200, accuracy: nil)
        #expect(self.told() == ["heading 2 -1 -1"])
        try self.point(200)
        #expect(self.told() == ["heading 2 -1 5"])
        try self.point(300, accuracy: nil)
        #expect(self.told() == ["calibrate?", "heading 3 -1 -1"])
        manager.dismissHeadingCalibrationDisplay()
    }

    @Test func aCompassThatDoesNotKnowFails() throws {
        let manager = self.make()
        manager.startUpdatingHeading()
        self.device.give(diagnostics: 1 << 9, to: try #require(self.device.streams.last?.id))
        #expect(self.told() == ["error 3"])
        self.device.report(.disconnected)
        #expect(self.told() == ["error 3"])
        manager.stopUpdatingHeading()
    }

    @Test func theDeviceSaysWhetherItHasACompass() {
        LocationClient.$ofTask.withValue(self.client) {
            #expect(!CLLocationManager.headingAvailable())
            self.device.tell { $0.compassPresent = true }
            #expect(CLLocationManager.headingAvailable())
        }
    }
}
