internal import Foundation
internal import Rig
internal import Testing

/// Nothing is lost, and nothing is handled twice, whichever program is killed.
@Suite(.serialized, .timeLimit(.minutes(4))) struct CrashTests {
    private func withStartedWorld(_ body: @Sendable (World) throws -> Void) async throws {
        try await withWorld { world in
            try world.startAll()
            try body(world)
        }
    }

    private func count(_ event: String, _ world: World) throws -> Int {
        try world.deviceEvents().count { $0 == event }
    }

    @Test func whatIsAskedWhileTheDeviceIsDeadIsAnsweredOnceItIsBack() async throws {
        try await self.withStartedWorld { world in
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            #expect(try world.ask(bob).status == 0)
            // Bob has the answer a moment before the extension says that it is done; killed in between, it would be handed over again.
            try world.waitForEvents("push-completed", count: 1)
            world.kill("locationd")
            let asking = try world.beginAsking(bob)
            _ = try asking.waitForLine(within: 20) { $0.contains("pushed") }
            try world.startLocationd()
            let ended = try asking.waitForEnd(within: 40)
            #expect(ended.status == 0, "\(ended.output)")
            try world.waitForEvents("push-completed", count: 2)
            #expect(try self.count("push-received", world) == 2)
        }
    }

    @Test func whatTheGatewayAcceptedSurvivesIt() async throws {
        try await self.withStartedWorld { world in
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            #expect(try world.ask(bob).status == 0)
            // Bob has the answer a moment before the extension says that it is done; killed in between, it would be handed over again.
            try world.waitForEvents("push-completed", count: 1)
            world.kill("locationd")
            let asking = try world.beginAsking(bob)
            _ = try asking.waitForLine(within: 20) { $0.contains("pushed") }
            world.kill("gateway")
            try world.startLocationd()
            try world.startGateway()
            let ended = try asking.waitForEnd(within: 40)
            #expect(ended.status == 0, "\(ended.output)")
            try world.waitForEvents("push-completed", count: 2)
        }
    }

    @Test func whoAsksAgainAtOnceHasTheAppTakeOverFromTheExtension() async throws {
        try await self.withStartedWorld { world in
            let bob = try world.makeRequester("bob")
            try world.approve(bob)
            #expect(try world.ask(bob).status == 0)
            #expect(try self.count("app-launched", world) == 0)
            let screen = "\(world.workspace.directory)/state/output/\(World.bundle).log"
            let watch = try Child("screen", "/usr/bin/tail", ["-n", "+1", "-F", screen], log: "/dev/null")
            defer { watch.kill() }
            #expect(try world.ask(bob).status == 0)
            _ = try watch.waitForLine(within: 40) { $0.contains("a friend follows you") }
            #expect(try self.count("app-launched", world) == 1)
            #expect(try world.ask(bob).status == 0)
        }
    }

    @Test func aPushAtWorkIsHandedOverAgainAndItsProcessEnds() async throws {
        try await self.withStartedWorld { world in
            try world.replaceExtension(by: world.binaries.path("ProbeExtension"))
            let log = "\(world.workspace.directory)/state/containers/\(World.bundle)/probe.log"
            func pushed(_ payload: String) throws -> Int32 {
                try world.run("locationctl", ["push", World.bundle, "--payload", payload]).status
            }
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            let watch = try Child("tail", "/usr/bin/tail", ["-n", "+1", "-F", log], log: "/dev/null")
            defer { watch.kill() }
            #expect(try pushed(#"{"number": 1}"#) == 0)
            _ = try watch.waitForLine(within: 20) { $0.hasPrefix("received 1") }
            #expect(try pushed(#"{"do": "ignore", "number": 2}"#) == 0)
            let line = try watch.waitForLine(within: 20) { $0.hasPrefix("received 2") }
            let first = try #require(line.split(separator: " ").last)
            world.kill("locationd")
            try world.startLocationd()
            // The push that was not completed comes again, in another process; the completed one does not.
            let again = try watch.waitForLine(within: 20) { $0.hasPrefix("received") }
            #expect(again.hasPrefix("received 2 "))
            #expect(again.split(separator: " ").last != first)
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(first)"))
        }
    }
}
