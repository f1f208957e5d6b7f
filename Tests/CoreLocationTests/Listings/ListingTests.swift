internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation
@testable internal import Listings

/// Goal: Apple's code listings behave as the surrounding text says.
@Suite(.timeLimit(.minutes(1))) struct ListingTests {
    private let device = FakeDevice()
    private let heard = Heard()

    /// The words that a listing reported.
    final class Heard: Sendable {
        private let words = Mutex<[String]>([])
        private let heard = Bell()

        func add(_ word: String) {
            self.words.withLock { $0.append(word) }
            self.heard.ring()
        }

        /// Waits until a listing has reported that many words.
        func first(_ count: Int) async -> [String] {
            await self.heard.wait { self.words.withLock { $0.count } >= count }
            return self.words.withLock { $0 }
        }
    }

    /// Begins a listing with the test's device.
    private func begin(_ listing: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        LocationClient.$ofTask.withValue(LocationClient(transport: self.device)) { Task { try await listing() } }
    }

    private func begin(_ listing: () -> Task<Void, any Error>) -> Task<Void, any Error> {
        LocationClient.$ofTask.withValue(LocationClient(transport: self.device)) { listing() }
    }

    private func stream() async throws -> UInt64 {
        await self.device.wait { !self.device.streams.isEmpty }
        return try #require(self.device.streams.first?.id)
    }

    private func session() async throws -> UInt64 {
        await self.device.wait { self.device.declaration?.sessions.first != nil }
        return try #require(self.device.declaration?.sessions.first?.id)
    }

    private func speed(_ speed: Int32, to stream: UInt64) {
        self.device.tell(
            .with {
                $0.update = .with {
                    $0.stream = stream
                    $0.fix = .with { $0.speed = speed }
                }
            }
        )
    }

    // MARK: Configuring your app to use location services

    @Test func withoutACompassItsFeaturesAreDisabled() {
        let manager = LocationClient.$ofTask.withValue(LocationClient(transport: self.device)) { CLLocationManager() }
        var isDisabled = false
        checkHeading(manager, disableCompassFeatures: { isDisabled = true })
        #expect(isDisabled != CLLocationManager.headingAvailable())
    }

    @Test func theStreamTellsLocationsAndStates() async throws {
        let heard = self.heard
        let task = self.begin { try await iterateOverTheStream { heard.add($0) } }
        let stream = try await self.stream()
        for (latitude, diagnostics, word) in [(10, 0, "location"), (nil, 1, "denied"), (nil, 1 << 4, "other")]
            as [(Int32?, UInt32, String)]
        {
            let count = await heard.first(0).count
            self.device.give(latitude: latitude, diagnostics: diagnostics, to: stream)
            #expect(await heard.first(count + 1).last == word)
        }
        task.cancel()
        try await task.value
        #expect(self.device.streams.isEmpty)
    }

    // MARK: Discover streamlined location updates

    @Test func updatesStopWithTheTask() async throws {
        let task = self.begin { try await intro() }
        self.device.give(latitude: 1, to: try await self.stream())
        task.cancel()
        try await task.value
        #expect(self.device.streams.isEmpty)
    }

    @Test func breakingOutStopsUpdates() async throws {
        let task = self.begin { try await gettingUpdates() }
        self.device.give(latitude: 1, diagnostics: 1 << 8, to: try await self.stream())
        try await task.value
        #expect(self.device.streams.isEmpty)
    }

    @Test func theFirstMatchEndsUpdates() async throws {
        let heard = self.heard
        let task = self.begin { heard.add("\(try await firstFastUpdate() ?? 0)") }
        let stream = try await self.stream()
        self.speed(100_000, to: stream)
        self.speed(201_500, to: stream)
        #expect(await heard.first(1) == ["201.5"])
        try await task.value
        #expect(self.device.streams.isEmpty)
    }

    @Test func aConfigurationIsAskedFor() async throws {
        let task = self.begin {
            for try await _ in withAConfiguration() {}
        }
        _ = try await self.stream()
        #expect(self.device.streams.first?.live.configuration == .automotiveNavigation)
        task.cancel()
        try await task.value
    }

    @Test func aBackgroundSessionIsHeldUntilItIsInvalidated() async throws {
        let handler = BackgroundHandler()
        let task = self.begin { try await handler.start { _ in } }
        _ = try await self.stream()
        #expect(self.device.declaration?.activities.count == 1)
        await handler.end()
        #expect(self.device.declaration?.activities.isEmpty == true)
        task.cancel()
        try await task.value
    }

    // MARK: "What's new in location authorization"

    @Test func theCurrentLocationIsReflected() async throws {
        let heard = self.heard
        let task = self.begin { reflectLocation { heard.add("\($0.coordinate.latitude)") } }
        let stream = try await self.stream()
        self.device.give(diagnostics: 1 << 4, to: stream)
        self.device.give(latitude: 425_000_000, to: stream)
        #expect(await heard.first(1) == ["42.5"])
        task.cancel()
    }

    @Test func conditionsAreReported() async {
        let heard = self.heard
        let park = CLLocationCoordinate2D(latitude: 37.3349, longitude: -122.009)
        let task = self.begin { reflectConditions("listing", park) { heard.add("\($0) \($1 == .satisfied)") } }
        await self.device.wait { self.device.declaration?.monitors.isEmpty == false }
        let monitor = self.device.declaration?.monitors.first?.id ?? 0
        self.device.tell(.with { $0.monitorOpened.monitor = monitor })
        await self.device.wait { !self.device.monitorChanges.isEmpty }
        let change = self.device.monitorChanges.last?.number ?? 0
        self.device.tell(
            .with {
                $0.monitorTaken.monitor = monitor
                $0.monitorTaken.change = change
            }
        )
        self.device.tell(
            .with {
                $0.monitorEvent.monitor = monitor
                $0.monitorEvent.identifier = "ApplePark"
                $0.monitorEvent.state = .satisfied
                $0.monitorEvent.number = 1
            }
        )
        #expect(await heard.first(1) == ["ApplePark true"])
        task.cancel()
    }

    @MainActor @Test func theSingletonAsksOnceAndProcesses() throws {
        let calls = HeldCalls()
        let device = FakeDevice(saying: .with { $0.authorization = .notDetermined }, callbacks: calls.context)
        let client = LocationClient(transport: device)
        let reflector = LocationClient.$ofTask.withValue(client) { LocationReflector.shared }
        calls.run()
        #expect(device.authorizationRequests == [false])
        withExtendedLifetime(reflector) {}
    }

    @Test func aSessionGoesWithTheLoop() async throws {
        let heard = self.heard
        let task = self.begin { sessionInAction { heard.add("\($0.authorizationDenied)") } }
        self.device.give(diagnostics: 1, to: try await self.stream())
        #expect(await heard.first(1) == ["true"])
        task.cancel()
        try await task.value
        #expect(self.device.streams.isEmpty && self.device.declaration?.sessions.isEmpty == true)
    }

    @Test func iteratingIsEnough() async throws {
        let heard = self.heard
        let task = self.begin { implicitSession { heard.add("\($0.location != nil)") } }
        self.device.give(latitude: 1, to: try await self.stream())
        #expect(await heard.first(1) == ["true"])
        task.cancel()
    }

    @Test func aRefusalIsHeard() async throws {
        let heard = self.heard
        let task = self.begin { try await followAuthorization { heard.add("pick") } }
        self.device.give(diagnostics: 1, ofClaim: try await self.session())
        #expect(await heard.first(1) == ["pick"])
        task.cancel()
        try await task.value
        #expect(self.device.declaration?.sessions.isEmpty == true)
    }

    @Test func theLoopEndsWhenTheyDecided() async throws {
        let task = self.begin { try await untilTheyDecided() }
        let session = try await self.session()
        self.device.give(diagnostics: 1 << 1, ofClaim: session)
        self.device.give(diagnostics: 0, ofClaim: session)
        try await task.value
        #expect(self.device.declaration?.sessions.isEmpty == true)
    }

    @Test(arguments: [false, true]) func changesGoOn(inATask: Bool) async throws {
        let heard = self.heard
        let task =
            inATask
            ? self.begin { reactInATask { heard.add("\($0)") } }
            : self.begin { try await reactForever { heard.add("\($0)") } }
        let session = try await self.session()
        for (bits, words) in [(1 << 1, []), (0, ["true"]), (1, ["true", "false"])] as [(UInt32, [String])] {
            self.device.give(diagnostics: bits, ofClaim: session)
            #expect(await heard.first(words.count) == words)
        }
        task.cancel()
        try await task.value
        #expect(self.device.declaration?.sessions.isEmpty == true)
    }

    @Test func pushesNeedAnAlwaysSession() {
        let session = LocationClient.$ofTask.withValue(LocationClient(transport: self.device)) { sessionForPushes() }
        #expect(self.device.declaration?.sessions.map(\.requirement) == [.always])
        withExtendedLifetime(session) {}
    }
}
