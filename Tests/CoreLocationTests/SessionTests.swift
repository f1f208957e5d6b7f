internal import LocationWireMessages
internal import SwiftProtobuf
internal import Testing

@testable internal import CoreLocation

@Suite struct SessionTests {
    private let device = FakeDevice()
    private let client: LocationClient

    init() {
        self.client = LocationClient(transport: self.device)
    }

    private func claim() throws -> UInt64 {
        let declaration = try #require(self.device.declaration)
        return try #require(declaration.sessions.first?.id ?? declaration.activities.first?.id)
    }

    @Test func aSessionIsHeldUntilItIsLetGo() {
        var session: CLServiceSession? = CLServiceSession(client: self.client, authorization: .whenInUse, purpose: nil)
        #expect(self.device.declaration?.sessions.map(\.requirement) == [.whenInUse])
        #expect(self.device.declaration?.sessions.first?.hasFullAccuracyPurpose == false)
        withExtendedLifetime(session) {}
        session = nil
        #expect(self.device.declaration?.sessions == [])
    }

    @Test func sessionsAreLayered() throws {
        let outer = CLServiceSession(client: self.client, authorization: .whenInUse, purpose: nil)
        let inner = CLServiceSession(client: self.client, authorization: .always, purpose: "route")
        #expect(self.device.declaration?.sessions.map(\.requirement) == [.whenInUse, .always])
        inner.invalidate()
        #expect(self.device.declaration?.sessions.map(\.requirement) == [.whenInUse])
        let declarations = self.device.declarations
        inner.invalidate()
        #expect(self.device.declarations == declarations, "invalidating again says nothing")
        withExtendedLifetime((outer, inner)) {}
    }

    @Test func diagnosticsBeginWithThePresentAndEndWithTheSession() async throws {
        let session = CLServiceSession(client: self.client, authorization: .always, purpose: nil)
        self.device.give(diagnostics: 1 << 3, ofClaim: try self.claim())
        var iterator = session.diagnostics.makeAsyncIterator()
        #expect(try await iterator.next()?.alwaysAuthorizationDenied == true)
        self.device.give(diagnostics: 1 << 7, ofClaim: try self.claim())
        var second = session.diagnostics.makeAsyncIterator()
        #expect(try await iterator.next()?.fullAccuracyDenied == true)
        #expect(try await second.next()?.fullAccuracyDenied == true)
        session.invalidate()
        #expect(try await iterator.next() == nil)
        var late = session.diagnostics.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    @Test func withoutADeviceASessionHearsThatServicesAreOff() async throws {
        let client = LocationClient(transport: FakeDevice(saying: nil))
        let session = CLServiceSession(client: client, authorization: .whenInUse, purpose: nil)
        var iterator = session.diagnostics.makeAsyncIterator()
        let diagnostic = try #require(try await iterator.next())
        #expect(diagnostic.authorizationDeniedGlobally && diagnostic.authorizationDenied)
        withExtendedLifetime(session) {}
    }

    @Test func aBackgroundSessionIsHeldUntilItIsInvalidated() async throws {
        let session = CLBackgroundActivitySession(client: self.client)
        #expect(self.device.declaration?.activities.map(\.backgroundSession) == [.init()])
        self.device.give(diagnostics: 1 << 2, ofClaim: try self.claim())
        var iterator = session.diagnostics.makeAsyncIterator()
        #expect(try await iterator.next()?.insufficientlyInUse == true)
        session.invalidate()
        #expect(self.device.declaration?.activities == [])
        #expect(try await iterator.next() == nil)
    }

    @Test func aBackgroundSessionThatIsLetGoEnds() {
        do { _ = CLBackgroundActivitySession(client: self.client) }
        #expect(self.device.declarations == 2)
        #expect(self.device.declaration?.activities == [])
    }

    @Test func aWaitingLoopEndsWithItsTask() async {
        let session = CLServiceSession(client: self.client, authorization: .none, purpose: nil)
        let tasks = (0..<8).map { _ in
            Task {
                var iterator = session.diagnostics.makeAsyncIterator()
                return try await iterator.next() == nil
            }
        }
        for task in tasks { task.cancel() }
        for task in tasks { #expect((try? await task.value) == true) }
    }
}
