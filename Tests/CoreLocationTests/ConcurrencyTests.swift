internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// Goal: every asynchronous call returns, for eight concurrent callers, when tasks are cancelled, and when the device
/// disconnects.
@Suite(.timeLimit(.minutes(1))) struct ConcurrencyTests {
    private let device = FakeDevice()
    private let client: LocationClient

    init() {
        self.client = LocationClient(transport: self.device)
    }

    /// Managers are not sendable, so each caller has its own, as in apps.
    private func token() async throws -> Data {
        try await CLLocationManager(client: self.client).startMonitoringLocationPushes()
    }

    private func fullAccuracy() async throws {
        try await CLLocationManager(client: self.client)
            .requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route")
    }

    @Test func eightWaitersForATokenAreAllAnswered() async throws {
        let tokens = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 { group.addTask { try await self.token() } }
            await self.device.wait { self.device.tokenRequests.count >= 8 }
            for request in self.device.tokenRequests {
                self.device.tell(
                    .with {
                        $0.pushToken = .with {
                            $0.request = request
                            $0.token = Data([1, 2])
                        }
                    }
                )
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: Data([1, 2]), count: 8))
    }

    @Test func eightWaitersForFullAccuracyAreAllAnswered() async throws {
        let declined = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (try? await self.fullAccuracy()) == nil } }
            await self.device.wait { self.device.fullAccuracyRequests.count >= 8 }
            for request in self.device.fullAccuracyRequests {
                self.device.answerFullAccuracy(request.request, declined: request.request % 2 == 0)
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        let even = self.device.fullAccuracyRequests.count { $0.request % 2 == 0 }
        #expect(declined == even)
    }

    @Test func whoWaitsHearsOfTheDeviceGoing() async {
        let token = Task { try await self.token() }
        let accuracy = Task { try await self.fullAccuracy() }
        await self.device.wait { !self.device.tokenRequests.isEmpty && !self.device.fullAccuracyRequests.isEmpty }
        self.device.report(.disconnected)
        await #expect(throws: CLLocationPushServiceError(.unknown)) { try await token.value }
        let error = await #expect(throws: CLError.self) { try await accuracy.value }
        #expect(error?.code == .promptDeclined)
        await #expect(throws: CLLocationPushServiceError(.unknown)) { try await self.token() }
    }

    @Test(arguments: [true, false]) func whoIsCancelledEnds(_ isLate: Bool) async {
        let tasks = (0..<8).map { number in
            Task { if number % 2 == 0 { _ = try await self.token() } else { try await self.fullAccuracy() } }
        }
        if isLate {
            await self.device.wait { self.device.tokenRequests.count + self.device.fullAccuracyRequests.count >= 8 }
        }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test func tooManyQuestionsAreRefused() {
        var refused = 0
        for _ in 0..<LocationClient.requestsMax + 3 {
            let id = self.client.ask({ id in .with { $0.pushTokenRequest = .with { $0.request = id } } }, { _ in })
            if id == nil { refused += 1 }
        }
        #expect(refused == 3)
        #expect(self.device.tokenRequests.count == LocationClient.requestsMax)
    }

    /// Run under ThreadSanitizer by `make sanitize`.
    @Test func managersAndSessionsMayBeUsedFromAnyThread() async {
        let device = self.device
        let client = self.client
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let delegate = RecordingDelegate()
                    for turn in 0..<50 {
                        let manager = CLLocationManager(client: client)
                        manager.delegate = delegate
                        manager.startUpdatingLocation()
                        manager.distanceFilter = Double(turn)
                        manager.requestLocation()
                        for stream in device.streams { device.give(latitude: Int32(worker), to: stream.id) }
                        device.tell { $0.authorization = turn % 2 == 0 ? .always : .whenInUse }
                        let session = CLServiceSession(client: client, authorization: .whenInUse, purpose: nil)
                        session.invalidate()
                        if turn % 3 == 0 { manager.stopUpdatingLocation() }
                    }
                }
            }
        }
        // A delegate that is being called keeps its manager for a moment longer.
        await device.wait { device.declaration?.streams == [] }
        #expect(device.declaration?.streams == [] && device.declaration?.sessions == [])
    }
}
