internal import Foundation
internal import Rig
internal import Testing

/// Tests of the real programs, started as in the demo.
@Suite struct EndToEndTests {
    /// The complete example, and actions that must fail.
    @Test(.timeLimit(.minutes(3))) func aFriendAsksAndOnlyAFriendIsAnswered() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)

            let answered = try installation.ask(bob)
            #expect(answered.status == 0, "\(answered.output)")
            let last = try #require(answered.output.split(separator: "\n").last)
            let form = /answered: -?[0-9.]+,-?[0-9.]+ ±[0-9.]+ m, [0-9.]+ s old, in [0-9]+ ms/
            #expect(last.wholeMatch(of: form) != nil, "\(last)")
            // The answer arrives shortly before the extension reports completion.
            try installation.waitForEvents("push-completed", count: 1)
            let events = try installation.deviceEvents()

            try installation.revoke(bob)
            let revoked = try installation.ask(bob)
            let mallory = try installation.makeRequester("mallory")
            let stolen = try installation.ask(mallory, grant: bob.grant)
            #expect(revoked.status == Installation.refusedStatus)
            #expect(stolen.status == Installation.refusedStatus)
            // No push was sent, so the device did nothing more.
            #expect(try installation.deviceEvents() == events)
            #expect(installation.stop() == [])
            // No program logs a position, an identity or an address.
            let logs = try installation.workspace.everythingLogged()
            let place = try #require(last.split(separator: " ").dropFirst().first).split(separator: ",")
            let secrets = place.map { String($0.prefix(5)) } + [bob.id, mallory.id]
            for secret in secrets { #expect(!logs.contains(secret), "a log tells \(secret)") }
            #expect(logs.contains("push-completed"))
        }
    }

    /// The fault of an extension that does not answer properly.
    enum Misbehaviour: String, CaseIterable {
        case crashes = "exit 9"
        /// The extension never connects to locationd, and has a child process that does not either.
        case hangs = "sleep 600 & sleep 600"
    }

    @Test(.timeLimit(.minutes(3)), arguments: Misbehaviour.allCases)
    func anExtensionThatDoesNotAnswerIsEndedAndTheRequesterLearnsIt(_ misbehaviour: Misbehaviour) async throws {
        try await withInstallation { installation in
            try installation.startAll(policy: ["extension-allowance": "8"])
            try installation.replaceExtension(byScript: misbehaviour.rawValue)
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            let ended = try installation.ask(bob)
            #expect(ended.status == Installation.unreachableStatus, "\(ended.output)")
            let events = try installation.deviceEvents()
            #expect(events.contains("extension-failed"))
            #expect(events.contains("extension-killed") == (misbehaviour == .hangs))
            // locationd continues: with the correct extension, the next request is answered.
            try installation.installApp()
            try installation.runAppOnce(asksPermission: false)
            #expect(try installation.ask(bob).status == 0)
            #expect(installation.stop() == [])
        }
    }

    /// The gateway answers 410 for an unregistered token, and the requester is notified at once.
    @Test(.timeLimit(.minutes(2))) func anAppThatIsRemovedGivesItsTokenUp() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            #expect(try installation.ask(bob).status == 0)
            #expect(try installation.run("locationctl", ["uninstall", Installation.bundle, "--yes"]).status == 0)
            let ended = try installation.ask(bob)
            #expect(ended.status == Installation.unreachableStatus)
            #expect(ended.output.contains("it receives no location pushes"), "\(ended.output)")
        }
    }

    /// The app is not running when its person denies it.
    ///
    /// locationd launches it, so that it tells its server and nobody waits for an answer.
    @Test(.timeLimit(.minutes(2))) func whoTakesAlwaysBackWhileTheAppIsClosedIsNotWaitedFor() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            #expect(try installation.ask(bob).status == 0)
            try installation.waitForEvents("push-completed", count: 1)
            try installation.takeAlwaysBack()
            let ended = try installation.ask(bob)
            #expect(ended.status == Installation.unreachableStatus)
            #expect(ended.output.contains("it receives no location pushes"), "\(ended.output)")
            // No push was sent.
            #expect(try installation.deviceEvents().count { $0 == "push-received" } == 1)
        }
    }

    /// The app takes too long to start and loses its session.
    ///
    /// This is shown to all until the person opens the app.
    @Test(.timeLimit(.minutes(3))) func sharingThatStopsSaysSoToEverybody() async throws {
        try await withInstallation { installation in
            // No app takes its session again that fast.
            try installation.startAll(policy: ["retake-window": "0.001"])
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            #expect(try installation.ask(bob).status == 0)
            #expect(try installation.doctor().contains("stopped sharing") == false)
            let agent = try installation.beginAgent()
            try installation.runApp("--background", until: "open FindFriends once to go on sharing")
            // The person, using the agent, the doctor and the device list.
            _ = try agent.waitForLine(within: 20) {
                $0.hasPrefix("● FindFriends stopped sharing your location: open FindFriends once")
            }
            let words = try installation.doctor()
            #expect(words.contains("stopped sharing the location: it lost its session"), "\(words)")
            #expect(words.contains("locationctl run \(Installation.bundle)"), "\(words)")
            // The friend, without a push.
            try installation.waitForDevice("paused")
            let ended = try installation.ask(bob)
            #expect(ended.status == Installation.unreachableStatus)
            #expect(ended.output.contains("Sharing is paused"), "\(ended.output)")
            #expect(try installation.deviceEvents().count { $0 == "push-received" } == 1)
            // And on again.
            try installation.runApp(until: "your friends can ask")
            #expect(try installation.ask(bob).status == 0)
            #expect(try installation.doctor().contains("stopped sharing") == false)
        }
    }

    @Test(.timeLimit(.minutes(2))) func withoutAReceiverTheAnswerSaysWhy() async throws {
        try await withInstallation { installation in
            try installation.startAll(receiver: false)
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            let ended = try installation.ask(bob)
            #expect(ended.status != 0)
            #expect(ended.output.contains("no position"), "\(ended.output)")
        }
    }
}
