internal import CoreLocation
internal import Foundation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Tests the rows of "Why your location push does nothing" (docs/ios.md) that need an app or extension with the fault.
@Suite(.showsTimelines) struct SilentPushTests {
    private let device = VirtualDevice()
    private let answers = Answers()

    private func push(_ app: VirtualApp, _ token: (VirtualApp) -> Bool) throws -> PushOutcome {
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { token(app) }
        self.device.person.set(app, to: .always)
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        let push = try self.device.push(to: app)
        self.device.advance(by: .seconds(60))
        return push.outcome
    }

    /// An app that ends its session once it has the token.
    @MainActor private final class Sessionless {
        private(set) var token: Data?
        private let manager = CLLocationManager()
        private let session = CLServiceSession(authorization: .always)

        init() {
            Task {
                self.token = try await self.manager.startMonitoringLocationPushes()
                self.session.invalidate()
            }
        }
    }

    @Test func appWithoutASessionGetsNoPush() throws {
        let answers = self.answers
        let app = self.device.install(
            AppUnderTest(
                "com.example.Sessionless",
                pushExtension: { FriendsPushService(answers: answers) },
                object: { Sessionless() }
            )
        )
        let outcome = try self.push(app) { $0.read { (it: Sessionless) in it.token != nil } == true }
        #expect(outcome == .refused(.noAlwaysSession))
        #expect(self.answers.locations.isEmpty)
    }

    /// An extension that reads positions without a session.
    private final class Extension: NSObject, CLLocationPushServiceExtension {
        private let answers: Answers

        init(answers: Answers) { self.answers = answers }

        func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
            let update = try? await CLLocationUpdate.liveUpdates().first { $0.location != nil }
            if let location = update?.location { self.answers.add(location) }
        }
    }

    @Test func extensionWithoutASessionGetsNoPosition() throws {
        let answers = self.answers
        let app = self.device.install(
            AppUnderTest(
                "com.example.Friends",
                pushExtension: { Extension(answers: answers) },
                object: { Friends() }
            )
        )
        let outcome = try self.push(app) { $0.read { (it: Friends) in it.token != nil } == true }
        #expect(outcome == .abandoned)
        #expect(self.answers.locations.isEmpty)
    }
}
