internal import Foundation
internal import Rig
internal import Testing

/// Goal: whichever program is killed, nothing is lost, and nothing is handled twice.
@Suite(.serialized, .timeLimit(.minutes(4))) struct CrashTests {
    private func withStartedInstallation(_ body: @Sendable (Installation) throws -> Void) async throws {
        try await withInstallation { installation in
            try installation.startAll()
            try body(installation)
        }
    }

    private func count(_ event: String, _ installation: Installation) throws -> Int {
        try installation.deviceEvents().count { $0 == event }
    }

    @Test func whatIsAskedWhileTheDeviceIsDeadIsAnsweredOnceItIsBack() async throws {
        try await self.withStartedInstallation { installation in
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            #expect(try installation.ask(bob).status == 0)
            // Bob receives the answer shortly before the extension reports completion. If killed in between, the push
            // would be delivered again.
            try installation.waitForEvents("push-completed", count: 1)
            installation.kill("locationd")
            let asking = try installation.beginAsking(bob)
            _ = try asking.waitForLine(within: 20) { $0.contains("pushed") }
            try installation.startLocationd()
            let ended = try asking.waitForEnd(within: 40)
            #expect(ended.status == 0, "\(ended.output)")
            try installation.waitForEvents("push-completed", count: 2)
            #expect(try self.count("push-received", installation) == 2)
        }
    }

    @Test func whatTheGatewayAcceptedSurvivesIt() async throws {
        try await self.withStartedInstallation { installation in
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            #expect(try installation.ask(bob).status == 0)
            // Bob receives the answer shortly before the extension reports completion. If killed in between, the push
            // would be delivered again.
            try installation.waitForEvents("push-completed", count: 1)
            installation.kill("locationd")
            let asking = try installation.beginAsking(bob)
            _ = try asking.waitForLine(within: 20) { $0.contains("pushed") }
            installation.kill("gateway")
            try installation.startLocationd()
            try installation.startGateway()
            let ended = try asking.waitForEnd(within: 40)
            #expect(ended.status == 0, "\(ended.output)")
            try installation.waitForEvents("push-completed", count: 2)
        }
    }

    @Test func aPushAtWorkIsHandedOverAgainAndItsProcessEnds() async throws {
        try await self.withStartedInstallation { installation in
            try installation.replaceExtension(by: installation.binaries.path("ProbeExtension"))
            let log = "\(installation.workspace.directory)/state/containers/\(Installation.bundle)/probe.log"
            func pushed(_ payload: String) throws -> Int32 {
                try installation.run("locationctl", ["push", Installation.bundle, "--payload", payload]).status
            }
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            let watch = try Child("tail", "/usr/bin/tail", ["-n", "+1", "-F", log], log: "/dev/null")
            defer { watch.kill() }
            #expect(try pushed(#"{"number": 1}"#) == 0)
            _ = try watch.waitForLine(within: 20) { $0.hasPrefix("received 1") }
            #expect(try pushed(#"{"do": "ignore", "number": 2}"#) == 0)
            let line = try watch.waitForLine(within: 20) { $0.hasPrefix("received 2") }
            let first = try #require(line.split(separator: " ").last)
            installation.kill("locationd")
            try installation.startLocationd()
            // The uncompleted push is delivered again, to another process. The completed one is not.
            let again = try watch.waitForLine(within: 20) { $0.hasPrefix("received") }
            #expect(again.hasPrefix("received 2 "))
            #expect(again.split(separator: " ").last != first)
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(first)"))
        }
    }
}
