internal import Foundation
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

@Suite(.timeLimit(.minutes(1))) struct LocationClientTests {
    private let device = FakeDevice()
    private let client: LocationClient

    init() {
        self.client = LocationClient(transport: self.device)
    }

    private func updates(_ configuration: CLLocationUpdate.LiveConfiguration = .default) -> CLLocationUpdate.Updates {
        CLLocationUpdate.Updates(client: self.client, configuration)
    }

    /// The number of the first stream, once it is declared.
    private func stream() async throws -> UInt64 {
        await self.device.wait { !self.device.streams.isEmpty }
        return try #require(self.device.streams.first?.id)
    }

    @Test func synchronousMembersAnswerFromTheFirstCall() {
        #expect(self.client.mirror.authorization == .authorizedWhenInUse)
        #expect(self.client.mirror.accuracy == .fullAccuracy)
        #expect(self.client.mirror.servicesEnabled)
        #expect(self.client.mirror.isConnected)
    }

    @Test func allThatTheDeviceSaysIsMirrored() {
        self.device.tell {
            $0.authorization = .restricted
            $0.reducedAccuracy = true
            $0.servicesDisabled = true
            $0.phase = .background
            $0.launchReason = .push
            $0.mayRunInBackground = true
        }
        let mirror = self.client.mirror
        #expect(mirror.authorization == .restricted && mirror.accuracy == .reducedAccuracy)
        #expect(!mirror.servicesEnabled && mirror.mayRunInBackground == true)
        #expect(mirror.phase == .background && mirror.launchReason == .push)
    }

    @Test func withoutADeviceNothingIsDeterminedAndStreamsSayWhy() async throws {
        let client = LocationClient(transport: FakeDevice(saying: nil))
        #expect(client.mirror.authorization == .notDetermined)
        #expect(!client.mirror.servicesEnabled)
        var iterator = CLLocationUpdate.Updates(client: client).makeAsyncIterator()
        let update = try #require(try await iterator.next())
        #expect(update.location == nil && update.locationUnavailable)
    }

    /// The device treats navigation on water as "other navigation".
    @Test(arguments: [0, 1, 2, 3, 4, 2].enumerated().map { ($0, $1) })
    func iteratingOpensAStreamAndLeavingClosesIt(_ number: Int, _ onTheWire: Int) async throws {
        do {
            let configurations: [CLLocationUpdate.LiveConfiguration] = [
                .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne,
                .maritime,
            ]
            var iterator = self.updates(configurations[number]).makeAsyncIterator()
            #expect(self.device.declaration?.streams.isEmpty ?? true)
            async let first = iterator.next()
            let stream = try await self.stream()
            #expect(self.device.streams.first?.live.configuration.rawValue == onTheWire)
            self.device.give(latitude: 425_000_000, to: stream)
            let update = try #require(try await first)
            #expect(update.location?.coordinate.latitude == 42.5)
        }
        #expect(self.device.declaration?.streams == [])
    }

    @Test func aSlowConsumerGetsTheNewestFixAndEveryChangeOfDiagnostics() async throws {
        var iterator = self.updates().makeAsyncIterator()
        let opened = Task {
            let id = try await self.stream()
            self.device.give(diagnostics: 1 << 1, to: id)
            return id
        }
        #expect(try await iterator.next()?.authorizationRequestInProgress == true)
        let id = try await opened.value
        for latitude in Int32(1)...50 { self.device.give(latitude: latitude * 10_000_000, to: id) }
        self.device.give(diagnostics: 1 << 4, to: id)
        for latitude in Int32(51)...60 { self.device.give(latitude: latitude * 10_000_000, to: id) }
        #expect(try await iterator.next()?.location?.coordinate.latitude == 50)
        #expect(try await iterator.next()?.locationUnavailable == true)
        #expect(try await iterator.next()?.location?.coordinate.latitude == 60)
    }

    @Test func anUpdateMayCarryBothAPositionAndWhatHoldsForIt() async throws {
        var iterator = self.updates().makeAsyncIterator()
        async let first = iterator.next()
        self.device.give(latitude: 10_000_000, diagnostics: 1 << 8, to: try await self.stream())
        let update = try #require(try await first)
        #expect(update.location != nil && update.stationary && !update.locationUnavailable)
    }

    @Test func aWaitingLoopEndsWithItsTask() async {
        let updates = self.updates()
        let task = Task {
            var iterator = updates.makeAsyncIterator()
            return try await iterator.next() == nil
        }
        await self.device.wait { self.device.declaration != nil }
        task.cancel()
        #expect((try? await task.value) == true)
    }

    @Test func afterAReconnectionEverythingHeldIsDeclaredAgain() async throws {
        let session = CLServiceSession(client: self.client, authorization: .always, purpose: "route")
        let background = CLBackgroundActivitySession(client: self.client)
        var iterator = self.updates().makeAsyncIterator()
        async let first = iterator.next()
        let stream = try await self.stream()
        let before = try #require(self.device.declaration)
        self.device.report(.disconnected)
        #expect(try await first?.locationUnavailable == true)
        #expect(self.client.mirror.authorization == .authorizedWhenInUse, "a restart is nobody's decision")
        let declarations = self.device.declarations
        self.device.report(.connected)
        #expect(self.device.declarations == declarations + 1)
        #expect(self.device.declaration == before)
        #expect(before.streams.map(\.id) == [stream])
        #expect(before.sessions.map(\.requirement) == [.always])
        #expect(before.sessions.map(\.fullAccuracyPurpose) == ["route"])
        #expect(before.activities.count == 1)
        withExtendedLifetime((session, background)) {}
    }

    @Test func anAuthorizationAskedForWhileNobodyHeardIsAskedForLater() {
        self.device.report(.disconnected)
        self.client.requestAuthorization(always: true)
        self.client.requestAuthorization(always: false)
        #expect(self.device.authorizationRequests == [])
        self.device.report(.connected)
        #expect(self.device.authorizationRequests == [true])
        self.device.report(.connected)
        #expect(self.device.authorizationRequests == [true])
    }

    @Test func aMessageForWhatIsNotThereDoesNothing() {
        self.device.give(latitude: 1, to: 99)
        self.device.give(diagnostics: 1, ofClaim: 99)
        self.device.answerFullAccuracy(99, declined: true)
        self.device.tell(.init())
        #expect(self.client.mirror.isConnected)
    }

    @Test func whatIsBeyondTheLimitWaitsUntilOthersEnd() throws {
        let max = self.client.mirror.declaredMax
        var sessions = (0...max).map { _ in
            CLServiceSession(client: self.client, authorization: .none, purpose: nil)
        }
        let last = try #require(self.device.declaration?.sessions.last?.id)
        #expect(self.device.declaration?.sessions.count == max)
        sessions.removeFirst()
        #expect(self.device.declaration?.sessions.count == max)
        #expect(self.device.declaration?.sessions.last?.id != last)
        withExtendedLifetime(sessions) {}
    }

    @Test func theDeviceSaysHowMuchMayBeHeld() {
        let sessions = (0..<3).map { _ in CLServiceSession(client: self.client, authorization: .none, purpose: nil) }
        #expect(self.device.declaration?.sessions.count == 3)
        self.device.tell { $0.declarationsMax = 2 }
        #expect(self.device.declaration?.sessions.count == 2)
        self.device.tell { $0.declarationsMax = 8 }
        #expect(self.device.declaration?.sessions.count == 3)
        withExtendedLifetime(sessions) {}
    }
}
