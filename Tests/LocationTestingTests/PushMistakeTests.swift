internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for mistakes of published location push extensions, each as a small extension that the device reports.
@Suite(.showsTimelines) struct PushMistakeTests {
    private let device = VirtualDevice()

    /// Installs an extension beside an app that has a token.
    private func installed(
        _ make: @escaping @MainActor @Sendable () -> any CLLocationPushServiceExtension
    ) -> VirtualApp {
        let app = self.device.install(AppUnderTest("com.example.Mistaken", pushExtension: make, object: { Friends() }))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "the app has its token") { app.read { (it: Friends) in it.token != nil } == true }
        self.device.person.leave(app)
        return app
    }

    /// Sends a push, and waits for a minute, longer than an extension lives.
    private func mistakes(
        _ payload: [String: Any] = [:],
        _ make: @escaping @MainActor @Sendable () -> any CLLocationPushServiceExtension
    ) throws -> [PushMistake] {
        let app = self.installed(make)
        try self.device.push(payload, to: app)
        self.device.advance(by: .seconds(60))
        let told = self.device.timeline.entries.filter { $0.kind == .problem }.map(\.text)
        #expect(app.pushMistakes.map(\.description) == told)
        return app.pushMistakes
    }

    /// A server that takes two seconds to answer.
    private static func upload(within timeout: Duration = .seconds(5)) async throws {
        try await VirtualNetwork.reach(within: timeout) { try await Task.sleep(for: .seconds(2)) }
    }

    /// The first position, which a careless extension would accept unchecked.
    private static func firstPosition() async throws -> CLLocation? {
        try await CLLocationUpdate.liveUpdates().first { $0.location != nil }?.location
    }

    /// An extension whose whole behaviour is a function.
    private final class Extension: NSObject, CLLocationPushServiceExtension {
        private let body: @Sendable ([String: Any], @escaping @Sendable () -> Void) -> Void
        private let session = CLServiceSession(authorization: .always)

        init(_ body: @escaping @Sendable ([String: Any], @escaping @Sendable () -> Void) -> Void) {
            self.body = body
        }

        func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
            self.body(payload, completion)
        }
    }

    @Test func goodExtensionMakesNone() throws {
        let mistakes = try self.mistakes(["id": "1"]) {
            Extension { _, completion in
                Task {
                    _ = try? await Self.firstPosition()
                    try? await Self.upload()
                    completion()
                }
            }
        }
        #expect(mistakes == [])
    }

    @Test func completionBeforeTheReply() throws {
        let mistakes = try self.mistakes {
            Extension { _, completion in
                Task {
                    _ = try? await Self.firstPosition()
                    Task { try await Self.upload() }
                    await Task { try? await Task.sleep(for: .milliseconds(1)) }.value
                    completion()
                }
            }
        }
        #expect(mistakes == [.completedBeforeReply(requests: 1)])
    }

    @Test func completionThatNeverComes() throws {
        #expect(try self.mistakes { Extension { _, _ in } } == [.neverCompleted])
    }

    @Test func invalidPositionTakenForAPerfectOne() throws {
        self.device.quirks = [.beginsInvalid]
        let mistakes = try self.mistakes {
            Extension { _, completion in
                Task {
                    let accuracy = try? await Self.firstPosition()?.horizontalAccuracy
                    #expect(accuracy == -1)
                    try? await Self.upload()
                    completion()
                }
            }
        }
        #expect(mistakes == [.tookInvalidPosition])
    }

    @Test(arguments: [true, false]) func privateValuesInALog(_ isPosition: Bool) throws {
        let mistakes = try self.mistakes(["name": "Alice in Hamburg"]) {
            Extension { payload, completion in
                let name = payload["name"] as? String ?? ""
                Task {
                    let position = try? await Self.firstPosition()
                    let line = isPosition ? "at \(position?.coordinate.latitude ?? 0)" : "asked by \(name)"
                    FileHandle.standardError.write(Data("\(line)\n".utf8))
                    completion()
                }
            }
        }
        #expect(mistakes == [.loggedPrivateValue])
    }

    @Test func timeoutLongerThanTheTimeThatIsLeft() throws {
        let mistakes = try self.mistakes {
            Extension { _, completion in
                Task {
                    try? await Task.sleep(for: .seconds(10))
                    try? await Self.upload(within: .seconds(25))
                    completion()
                }
            }
        }
        guard case .timeoutBeyondTime(timeout: .seconds(25), let left)? = mistakes.first, mistakes.count == 1 else {
            Issue.record("\(mistakes)")
            return
        }
        #expect((19...20).contains(left.components.seconds))
    }

    @Test func noTimerForThePosition() throws {
        self.device.world.loseSignal(for: .seconds(600))
        let mistakes = try self.mistakes {
            Extension { _, completion in
                Task {
                    _ = try? await Self.firstPosition()
                    completion()
                }
            }
        }
        #expect(mistakes == [.noTimerForPosition])
    }

    @Test func completionCalledTwice() throws {
        let mistakes = try self.mistakes {
            Extension { _, completion in
                completion()
                completion()
            }
        }
        #expect(mistakes == [.completedTwice])
    }

    @Test(arguments: [("serverURL", "https://a.example"), ("bearer", "0123")])
    func secretsAndAddressesInThePayload(_ key: String, _ value: String) throws {
        let mistakes = try self.mistakes([key: value]) { Extension { _, completion in completion() } }
        #expect(mistakes == [.trustsClearValue(key: key)])
    }

    @Test func secretInTheDefaults() throws {
        let mistakes = try self.mistakes {
            Extension { _, completion in
                UserDefaults.standard.set("0123", forKey: "accessToken")
                _ = UserDefaults.standard.string(forKey: "accessToken")
                completion()
            }
        }
        #expect(mistakes == [.trustsClearValue(key: "accessToken")])
    }

    @Test func manySpellingsOfOneKey() throws {
        let app = self.installed {
            Extension { payload, completion in
                let id = ["requestId", "request_id", "request-id"].compactMap { payload[$0] as? String }.first
                Task {
                    if id != nil { _ = try? await Self.firstPosition() }
                    completion()
                }
            }
        }
        try self.device.push(["requestId": "7"], to: app)
        self.device.advance(by: .seconds(60))
        #expect(app.pushMistakes == [])
        let pushes = try self.device.pushMisspelled(["requestId": "7"], to: app)
        self.device.advance(by: .seconds(300))
        #expect(pushes.count == 3)
        // Once for each process of the extension.
        #expect(app.pushMistakes == [.guessesPayload, .guessesPayload])
    }

    /// Goal: a position that is only old is reported as old, even if an invalid one arrived at the same moment.
    @Test(arguments: [[.replaysLastPlace], [.replaysLastPlace, .beginsInvalid]] as [Set<Quirk>])
    func oldPosition(_ quirks: Set<Quirk>) throws {
        let app = self.installed {
            Extension { _, completion in
                Task {
                    _ = try? await Self.firstPosition()
                    completion()
                }
            }
        }
        try self.device.push(to: app)
        self.device.advance(by: .seconds(600))
        #expect(app.pushMistakes == [])
        self.device.quirks = quirks
        try self.device.push(to: app)
        self.device.advance(by: .seconds(60))
        guard case .tookOldPosition(let age)? = app.pushMistakes.first else {
            Issue.record("\(app.pushMistakes)")
            return
        }
        #expect((595...601).contains(age.components.seconds))
    }

    @Test func geocoderInTheExtension() throws {
        let mistakes = try self.mistakes {
            Extension { _, completion in
                Task {
                    guard let position = try? await Self.firstPosition() else { return completion() }
                    _ = try? await CLGeocoder().reverseGeocodeLocation(position)
                    completion()
                }
            }
        }
        #expect(mistakes == [.askedGeocoder])
    }
}
