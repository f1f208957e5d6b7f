internal import Foundation
internal import LocationWireMessages
internal import SwiftProtobuf
internal import Testing

@testable internal import CoreLocation

@Suite struct LocationClientTests {
    private let device = FakeDevice()
    private let client: LocationClient

    init() {
        self.client = LocationClient(transport: self.device)
    }

    private func updates() -> CLLocationUpdate.Updates { CLLocationUpdate.Updates(client: self.client) }

    @Test func synchronousMembersAnswerFromTheFirstCall() {
        #expect(self.client.mirror.authorization == .authorizedWhenInUse)
        #expect(self.client.mirror.isConnected)
    }

    @Test func withoutADeviceNothingIsDeterminedAndStreamsSayWhy() async throws {
        let client = LocationClient(transport: FakeDevice(answersAtOnce: false))
        #expect(client.mirror.authorization == .notDetermined)
        var iterator = CLLocationUpdate.Updates(client: client).makeAsyncIterator()
        let update = try #require(try await iterator.next())
        #expect(update.location == nil && update.locationUnavailable)
    }

    @Test func iteratingOpensAStreamAndLeavingClosesIt() async throws {
        do {
            var iterator = self.updates().makeAsyncIterator()
            #expect(self.device.declaration == nil)
            async let first = iterator.next()
            while self.device.declaration == nil { await Task.yield() }
            let stream = try #require(self.device.declaration?.streams.first?.id)
            self.device.give(latitude: 425_000_000, to: stream)
            let update = try #require(try await first)
            #expect(update.location?.coordinate.latitude == 42.5)
        }
        #expect(self.device.declaration?.streams == [])
    }

    @Test func aSlowConsumerGetsTheNewestFixAndEveryChangeOfDiagnostics() async throws {
        let (id, mailbox) = self.client.openStream()
        for latitude in Int32(1)...50 { self.device.give(latitude: latitude * 10_000_000, to: id) }
        self.device.give(diagnostics: 1 << 4, to: id)
        for latitude in Int32(51)...60 { self.device.give(latitude: latitude * 10_000_000, to: id) }
        #expect(await mailbox.next()?.location?.coordinate.latitude == 50)
        #expect(await mailbox.next()?.locationUnavailable == true)
        #expect(await mailbox.next()?.location?.coordinate.latitude == 60)
    }

    @Test func aWaitingLoopEndsWithItsTask() async {
        let updates = self.updates()
        let task = Task {
            var iterator = updates.makeAsyncIterator()
            return try await iterator.next() == nil
        }
        while self.device.declaration == nil { await Task.yield() }
        task.cancel()
        #expect((try? await task.value) == true)
    }

    @Test func eightWaitersForATokenAreAllAnswered() async throws {
        let client = self.client
        let tokens = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        client.requestPushToken { continuation.resume(with: $0.mapError { $0 as any Error }) }
                    }
                }
            }
            while self.device.requests.count < 8 { await Task.yield() }
            for request in self.device.requests {
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

    @Test func whoWaitsForATokenHearsOfTheDeviceGoing() async {
        let client = self.client
        let device = self.device
        let task = Task {
            try await withCheckedThrowingContinuation { continuation in
                client.requestPushToken { continuation.resume(with: $0.mapError { $0 as any Error }) }
            }
        }
        while device.requests.isEmpty { await Task.yield() }
        device.report(.disconnected)
        await #expect(throws: CLLocationPushServiceError(.unknown)) { try await task.value }
    }

    @Test func afterAReconnectionEverythingHeldIsDeclaredAgain() async {
        _ = self.client.addSession(.always)
        let (stream, mailbox) = self.client.openStream()
        self.device.report(.disconnected)
        #expect(await mailbox.next()?.locationUnavailable == true)
        self.device.report(.connected)
        #expect(self.device.declaration?.sessions.map(\.requirement) == [.always])
        #expect(self.device.declaration?.streams.map(\.id) == [stream])
    }

    @Test func aSessionsDiagnosticsBeginWithThePresentAndEndWithIt() async throws {
        let id = self.client.addSession(.always)
        self.device.tell(
            .with {
                $0.diagnostics = .with {
                    $0.session = id
                    $0.diagnostics = 1 << 3
                }
            }
        )
        var iterator = CLServiceSession.Diagnostics(client: self.client, session: id).makeAsyncIterator()
        #expect(try await iterator.next()?.alwaysAuthorizationDenied == true)
        self.client.endSession(id)
        #expect(try await iterator.next() == nil)
    }
}
