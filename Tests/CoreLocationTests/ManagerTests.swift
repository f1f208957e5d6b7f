internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// A delegate that records its calls.
final class RecordingDelegate: NSObject, CLLocationManagerDelegate, Sendable {
    private let calls = Mutex<[String]>([])

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        self.note("locations \(locations.map { Int($0.coordinate.latitude) })")
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        self.note("error \((error as? CLError)?.code.rawValue ?? -1)")
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        self.note("authorization \(manager.authorizationStatus.rawValue)")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        let numbers = [newHeading.magneticHeading, newHeading.trueHeading, newHeading.headingAccuracy]
        self.note("heading \(numbers.map { "\(Int($0))" }.joined(separator: " "))")
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
        self.note("calibrate?")
        return true
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { self.note("paused") }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { self.note("resumed") }

    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {
        self.note("monitoring \(region?.identifier ?? "") \((error as? CLError)?.code.rawValue ?? -1)")
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        self.note("state \(state.rawValue) \(region.identifier)")
    }

    private func note(_ call: String) { self.calls.withLock { $0.append(call) } }

    /// The calls since the last `take()`.
    func take() -> [String] {
        self.calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

@Suite struct ManagerTests {
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
        return manager
    }

    private func told() -> [String] {
        self.held.run()
        return self.delegate.take()
    }

    private func stream() throws -> UInt64 { try #require(self.device.streams.last?.id) }

    // MARK: Authorization

    @Test func theAuthorizationIsToldAtTheBeginningAndOnChange() {
        let manager = self.make()
        #expect(self.told() == ["authorization 4"])
        self.device.tell { $0.authorization = .always }
        #expect(self.told() == ["authorization 3"])
        self.device.tell { $0.authorization = .always }
        #expect(self.told() == [])
        self.device.tell {
            $0.authorization = .always
            $0.reducedAccuracy = true
        }
        #expect(self.told() == ["authorization 3"])
        #expect(manager.accuracyAuthorization == .reducedAccuracy)
    }

    /// A delegate that reads `authorizationStatus` in a callback must already see the new value.
    @Test func aChangeOfAuthorizationIsToldBeforeEventsThatWaited() throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        #expect(self.told() == ["authorization 4"])
        self.device.give(latitude: 10_000_000, to: try self.stream())
        self.device.tell { $0.authorization = .denied }
        self.device.give(diagnostics: 1, to: try self.stream())
        #expect(self.told() == ["authorization 2", "locations [1]", "error 1"])
        withExtendedLifetime(manager) {}
    }

    /// Goal: an app that asks for more than it has shows the prompt, as on Apple's simulator.
    @Test func theAccuracyIsReducedWhileNothingIsDetermined() {
        let manager = CLLocationManager(client: self.client)
        #expect(manager.accuracyAuthorization == .fullAccuracy)
        self.device.tell { $0.authorization = .notDetermined }
        #expect(manager.accuracyAuthorization == .reducedAccuracy)
    }

    @Test func whoBecomesDelegateLaterIsToldThen() {
        let manager = CLLocationManager(client: self.client)
        self.held.run()
        manager.delegate = self.delegate
        #expect(self.told() == ["authorization 4"])
        manager.delegate = nil
        manager.delegate = self.delegate
        #expect(self.told() == [])
    }

    @Test func authorizationIsAskedFor() {
        let manager = self.make()
        manager.requestWhenInUseAuthorization()
        manager.requestAlwaysAuthorization()
        #expect(self.device.authorizationRequests == [false, true])
    }

    // MARK: Standard updates

    @Test func startingTellsPositionsAndStoppingEndsIt() throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        let declarations = self.device.declarations
        manager.startUpdatingLocation()
        #expect(self.device.declarations == declarations, "starting again does nothing")
        let stream = try self.stream()
        self.device.give(latitude: 10_000_000, to: stream)
        #expect(self.told() == ["authorization 4", "locations [1]"])
        #expect(manager.location?.coordinate.latitude == 1)
        self.device.give(latitude: 20_000_000, to: stream)
        manager.stopUpdatingLocation()
        #expect(self.told() == [], "what waited for a run that is over is not told")
        #expect(self.device.streams.isEmpty)
        manager.stopUpdatingLocation()
    }

    @Test func whatIsSetIsAskedForAtOnce() throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        #expect(self.device.streams.first?.standard.desiredAccuracy == -1000)
        #expect(self.device.streams.first?.standard.distanceFilter == -1)
        #expect(self.device.streams.first?.standard.pausesAutomatically == true)
        let stream = try self.stream()
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        manager.distanceFilter = 25
        manager.activityType = .fitness
        manager.pausesLocationUpdatesAutomatically = false
        manager.showsBackgroundLocationIndicator = true
        let standard = try #require(self.device.streams.first).standard
        #expect(standard.desiredAccuracy == 100_000 && standard.distanceFilter == 25_000)
        #expect(standard.activity == .fitness && !standard.pausesAutomatically && standard.showsIndicator)
        #expect(try self.stream() == stream, "the same stream goes on")
    }

    @Test(
        arguments: [
            (kCLLocationAccuracyBest, -1000), (kCLLocationAccuracyReduced, .max), (.nan, -1000), (1e300, .max - 1),
            (.infinity, .max - 1), (0, -1000), (0.5, 500),
        ] as [(Double, Int32)]
    )
    func accuraciesAreMillimetres(_ metres: Double, _ millimetres: Int32) {
        #expect(ManagerSettings.accuracy(metres) == millimetres)
    }

    @Test(
        arguments: [
            (kCLDistanceFilterNone, -1), (.nan, -1), (.infinity, .max), (CLLocationDistanceMax, .max), (0, 0),
            (1.5, 1500),
        ] as [(Double, Int32)]
    )
    func filtersAreMillimetres(_ metres: Double, _ millimetres: Int32) {
        #expect(ManagerSettings.filter(metres) == millimetres)
    }

    @Test func aPauseEndsUpdatesUntilTheAppBeginsAnew() throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        let stream = try self.stream()
        self.device.give(latitude: 10_000_000, diagnostics: 1 << 8, to: stream)
        #expect(self.told() == ["authorization 4", "locations [1]", "paused"])
        manager.startUpdatingLocation()
        let next = try self.stream()
        #expect(next != stream && self.device.streams.count == 1, "it takes the place of the other")
        manager.startUpdatingLocation()
        #expect(try self.stream() == next, "again does nothing")
        self.device.give(latitude: 20_000_000, to: next)
        #expect(self.told() == ["resumed", "locations [2]"])
        withExtendedLifetime(manager) {}
    }

    /// A restart of locationd does not mean that the device moved.
    @Test func aConnectionThatBreaksBeginsNothingThatAPauseEnded() throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        self.device.give(latitude: 10_000_000, diagnostics: 1 << 8, to: try self.stream())
        _ = self.told()
        self.device.report(.disconnected)
        self.device.report(.connected)
        #expect(self.told().isEmpty && self.device.streams.isEmpty)
        manager.startUpdatingLocation()
        self.device.give(latitude: 20_000_000, to: try self.stream())
        #expect(self.told() == ["resumed", "locations [2]"])
        withExtendedLifetime(manager) {}
    }

    @Test(arguments: [(0, 1), (5, 1), (6, 1), (4, 0)])
    func whyThereIsNoPositionIsAnError(_ bit: UInt32, _ code: Int) throws {
        let manager = self.make()
        manager.startUpdatingLocation()
        self.device.give(diagnostics: 1 << bit, to: try self.stream())
        #expect(self.told() == ["authorization 4", "error \(code)"])
        #expect(self.device.streams.count == 1, "updates go on when they can")
        withExtendedLifetime(manager) {}
    }

    @Test func aBusyDelegateGetsTheNewestPositionAndABoundedRest() throws {
        let manager = self.make()
        _ = self.told()
        manager.startUpdatingLocation()
        let stream = try self.stream()
        for latitude in Int32(1)...80 { self.device.give(latitude: latitude * 10_000_000, to: stream) }
        #expect(self.told() == ["locations [80]"])
        for _ in 0..<100 { self.device.give(diagnostics: 1 << 4, to: stream) }
        #expect(self.told().count == ManagerInbox.updatesMax)
        withExtendedLifetime(manager) {}
    }

    // MARK: One position

    @Test func oneRequestIsAnsweredOnce() throws {
        let manager = self.make()
        _ = self.told()
        manager.requestLocation()
        manager.requestLocation()
        #expect(self.device.streams.count == 1, "one is outstanding at a time")
        let stream = try self.stream()
        self.device.give(diagnostics: 1 << 1, to: stream)
        #expect(self.told() == [], "the person is being asked")
        self.device.give(latitude: 10_000_000, to: stream)
        self.device.give(latitude: 20_000_000, to: stream)
        #expect(self.told() == ["locations [1]"])
        #expect(self.device.streams.isEmpty)
        manager.requestLocation()
        self.device.give(diagnostics: 1, to: try self.stream())
        #expect(self.told() == ["error 1"])
    }

    @Test(arguments: [(0, 1), (2, 0), (4, 0), (5, 1), (6, 1)])
    func aRefusalIsAnAnswer(_ bit: UInt32, _ code: Int) throws {
        let manager = self.make()
        _ = self.told()
        manager.requestLocation()
        self.device.give(diagnostics: 1 << bit, to: try self.stream())
        #expect(self.told() == ["error \(code)"])
        #expect(self.device.streams.isEmpty)
    }

    @Test func withoutADeviceTheAnswerIsAnError() {
        let device = FakeDevice(saying: nil, callbacks: self.held.context)
        let manager = CLLocationManager(client: LocationClient(transport: device))
        manager.delegate = self.delegate
        manager.requestLocation()
        #expect(self.told() == ["authorization 0", "error 0"])
    }

    @Test func aRequestNeedsADelegate() {
        let manager = CLLocationManager(client: self.client)
        manager.requestLocation()
        #expect(self.device.misuses.map { $0.contains("set the manager's delegate before the call") } == [true])
        manager.delegate = self.delegate
        manager.stopUpdatingLocation()
        manager.requestLocation()
        #expect(self.device.misuses.count == 1)
    }

    /// A delegate with only one of the two methods that `requestLocation()` requires.
    private final class Hopeful: NSObject, CLLocationManagerDelegate {
        let other: (any CLLocationManagerDelegate)?
        init(passingOnTo other: (any CLLocationManagerDelegate)? = nil) { self.other = other }
        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            self.other?.locationManager(manager, didUpdateLocations: locations)
        }
    }

    /// A delegate without the methods that `requestLocation()` requires.
    private final class Silent: NSObject, CLLocationManagerDelegate {}

    @Test func aRequestNeedsTheMethodThatAnswersIt() throws {
        let delegate = Hopeful()
        let manager = CLLocationManager(client: self.client)
        manager.delegate = delegate
        manager.requestLocation()
        self.device.give(latitude: 10_000_000, to: try self.stream())
        self.held.run()
        #expect(self.device.misuses == [])
        manager.requestLocation()
        self.device.give(diagnostics: 1, to: try self.stream())
        self.held.run()
        let words = ["Hopeful", "locationManager(_:didFailWithError:)", "add the method"]
        #expect(self.device.misuses.map { rule in words.allSatisfy { rule.contains($0) } } == [true])
    }

    @Test func otherServicesNeedNoMethodAndNeitherDoOthersWhoAreCalled() throws {
        let silent = Silent()
        let delegate = Hopeful(passingOnTo: silent)
        let manager = CLLocationManager(client: self.client)
        manager.delegate = silent
        manager.startUpdatingLocation()
        self.device.give(latitude: 10_000_000, to: try self.stream())
        self.held.run()
        manager.stopUpdatingLocation()
        manager.delegate = delegate
        manager.requestLocation()
        self.device.give(latitude: 10_000_000, to: try self.stream())
        self.held.run()
        #expect(self.device.misuses == [])
    }

    @Test func startingTakesARequestBack() throws {
        let manager = self.make()
        manager.requestLocation()
        let request = try self.stream()
        manager.startUpdatingLocation()
        #expect(self.device.streams.map(\.id) != [request] && self.device.streams.count == 1)
        manager.requestLocation()
        manager.stopUpdatingLocation()
        #expect(self.device.streams.isEmpty)
    }

    // MARK: Full accuracy

    @Test func fullAccuracyIsAskedForWithACompletionAndWithout() {
        let manager = self.make()
        let answers = Mutex<[Bool]>([])
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "a") { error in
            answers.withLock { $0.append(error == nil) }
        }
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "b") { error in
            #expect((error as? CLError)?.code == .promptDeclined)
            answers.withLock { $0.append(error == nil) }
        }
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "c")
        let requests = self.device.fullAccuracyRequests
        #expect(requests.map(\.purpose) == ["a", "b", "c"])
        self.device.answerFullAccuracy(requests[0].request, declined: false)
        self.device.answerFullAccuracy(requests[0].request, declined: true)
        self.device.answerFullAccuracy(requests[1].request, declined: true)
        #expect(answers.withLock { $0 } == [], "called where the delegate is")
        self.held.run()
        #expect(answers.withLock { $0 } == [true, false])
    }

    @Test func aCompletionIsCalledWhenTheDeviceGoesAndWhenTheManagerWent() {
        let answers = Mutex<[Bool]>([])
        do {
            self.make().requestTemporaryFullAccuracyAuthorization(withPurposeKey: "a") { error in
                answers.withLock { $0.append(error == nil) }
            }
        }
        self.device.report(.disconnected)
        self.held.run()
        #expect(answers.withLock { $0 } == [false])
    }

    // MARK: Services the device does not have

    @Test func whatTheDeviceCannotDoIsRefused() {
        let manager = self.make()
        _ = self.told()
        let region = CLRegion(identifier: "kitchen")
        manager.startMonitoring(for: region)
        manager.requestState(for: region)
        #expect(self.told() == ["monitoring kitchen 5", "state 0 kitchen"])
        #expect(manager.monitoredRegions.isEmpty)
    }

    // MARK: The end

    @Test func aDelegateThatIsGoneIsNotCalled() throws {
        let manager = CLLocationManager(client: self.client)
        weak var gone: RecordingDelegate?
        do {
            let delegate = RecordingDelegate()
            gone = delegate
            manager.delegate = delegate
            manager.startUpdatingLocation()
            self.device.give(latitude: 1, to: try self.stream())
        }
        #expect(gone == nil && manager.delegate == nil)
        self.held.run()
    }

    @Test func aManagerThatIsGoneStopsEverything() throws {
        weak var gone: CLLocationManager?
        do {
            let manager = self.make()
            gone = manager
            manager.startUpdatingLocation()
            manager.requestLocation()
            self.device.give(latitude: 1, to: try self.stream())
        }
        #expect(gone == nil)
        #expect(self.device.streams.isEmpty)
        #expect(self.told() == [])
        self.device.tell { $0.authorization = .denied }
        #expect(self.told() == [])
    }

    @Test func backgroundUpdatesNeedTheBackgroundMode() async {
        self.make().allowsBackgroundLocationUpdates = false
        await #expect(processExitsWith: .failure) {
            let manager = CLLocationManager(client: LocationClient(transport: FakeDevice()))
            manager.allowsBackgroundLocationUpdates = true
        }
        self.device.tell { $0.mayRunInBackground = true }
        let manager = self.make()
        manager.startUpdatingLocation()
        manager.allowsBackgroundLocationUpdates = true
        #expect(self.device.streams.first?.standard.allowsBackground == true)
    }
}
