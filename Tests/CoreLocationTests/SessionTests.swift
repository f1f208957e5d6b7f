internal import Foundation
internal import Testing
internal import WhereaboutsLocationWireMessages

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

    /// locationd would disconnect an app that declares more.
    @Test func whoHoldsTooManyIsToldOnceAndTheRestWaits() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let device = FakeDevice()
            let client = LocationClient(transport: device)
            var sessions = (1...client.mirror.declaredMax).map { _ in
                CLServiceSession(client: client, authorization: .whenInUse, purpose: nil)
            }
            FileHandle.standardError.write(Data("full\n".utf8))
            for _ in 1...2 { sessions.append(CLServiceSession(client: client, authorization: .always, purpose: nil)) }
            precondition(device.declaration?.sessions.count == client.mirror.declaredMax)
            precondition(device.declaration?.sessions.last?.requirement == .whenInUse)
            sessions.removeFirst().invalidate()
            precondition(device.declaration?.sessions.last?.requirement == .always)
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = said.split(separator: "\n").drop { $0 != "full" }.dropFirst()
        #expect(lines.count { $0.contains("CoreLocation: this process has more than 256 sessions") } == 1, "\(said)")
        #expect(said.ranges(of: "has more than").count == 1, "\(said)")
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
        // The first message says that the process runs and has no sessions.
        #expect(self.device.declarations == 3)
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
