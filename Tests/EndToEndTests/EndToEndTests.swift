internal import Foundation
internal import Rig
internal import Testing

/// The real programs, started as the demo starts them.
@Suite struct EndToEndTests {
    /// The whole story, and what must not work.
    @Test(.timeLimit(.minutes(3))) func aFriendAsksAndOnlyAFriendIsAnswered() async throws {
        try await withWorld { world in
            try world.startAll()
            let bob = try world.makeRequester("bob")
            try world.approve(bob)

            let answered = try world.ask(bob)
            #expect(answered.status == 0, "\(answered.output)")
            let last = try #require(answered.output.split(separator: "\n").last)
            let form = /answered: -?[0-9.]+,-?[0-9.]+ ±[0-9.]+ m, [0-9.]+ s old, in [0-9]+ ms/
            #expect(last.wholeMatch(of: form) != nil, "\(last)")
            // The answer is there a moment before the extension says that it is done.
            try world.waitForEvents("push-completed", count: 1)
            let events = try world.deviceEvents()

            try world.revoke(bob)
            let revoked = try world.ask(bob)
            let mallory = try world.makeRequester("mallory")
            let stolen = try world.ask(mallory, grant: bob.grant)
            #expect(revoked.status == World.refusedStatus)
            #expect(stolen.status == World.refusedStatus)
            // No push was sent: nothing more happened on the device.
            #expect(try world.deviceEvents() == events)
            #expect(world.stop() == [])
            // No program's log tells a position, a person or their address.
            let logs = try world.workspace.everythingLogged()
            let place = try #require(last.split(separator: " ").dropFirst().first).split(separator: ",")
            let secrets = place.map { String($0.prefix(5)) } + [bob.id, mallory.id]
            for secret in secrets { #expect(!logs.contains(secret), "a log tells \(secret)") }
            #expect(logs.contains("push-completed"))
        }
    }

    /// An extension's misbehaviour, in place of an answer.
    enum Misbehaviour: String, CaseIterable {
        /// It ends at once.
        case crashes = "exit 9"
        /// It never speaks to locationd, and has a child that does not either.
        case hangs = "sleep 600 & sleep 600"
    }

    @Test(.timeLimit(.minutes(3)), arguments: Misbehaviour.allCases)
    func anExtensionThatDoesNotAnswerIsEndedAndTheRequesterLearnsIt(_ misbehaviour: Misbehaviour) async throws {
        try await withWorld { world in
            try world.startAll(policy: ["extensionAllowance": 8])
            try world.replaceExtension(byScript: misbehaviour.rawValue)
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            let ended = try world.ask(bob)
            #expect(ended.status == World.unreachableStatus, "\(ended.output)")
            let events = try world.deviceEvents()
            #expect(events.contains("extension-failed"))
            #expect(events.contains("extension-killed") == (misbehaviour == .hangs))
            // locationd goes on: with the right extension back, the next request is answered.
            try world.installApp()
            try world.runAppOnce(asksPermission: false)
            #expect(try world.ask(bob).status == 0)
            #expect(world.stop() == [])
        }
    }

    /// The gateway answers 410 for a token that was given up, and the requester learns it at once.
    @Test(.timeLimit(.minutes(2))) func anAppThatIsRemovedGivesItsTokenUp() async throws {
        try await withWorld { world in
            try world.startAll()
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            #expect(try world.ask(bob).status == 0)
            #expect(try world.run("locationctl", ["uninstall", World.bundle]).status == 0)
            let ended = try world.ask(bob)
            #expect(ended.status == World.unreachableStatus)
            #expect(ended.output.contains("it takes no location pushes"), "\(ended.output)")
        }
    }

    @Test(.timeLimit(.minutes(2))) func withoutAReceiverTheAnswerSaysWhy() async throws {
        try await withWorld { world in
            try world.startAll(receiver: false)
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            let ended = try world.ask(bob)
            #expect(ended.status != 0)
            #expect(ended.output.contains("no position"), "\(ended.output)")
        }
    }
}
