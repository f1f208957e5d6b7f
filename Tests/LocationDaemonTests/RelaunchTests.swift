internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Goal: a process is started when there is something to deliver to an app without one.
@Suite(.offPool, .timeLimit(.minutes(1))) struct RelaunchTests {
    @Test func anAppThatDiedWithAStreamIsLaunchedForTheNextFix() async throws {
        let rig = try await DaemonRig()
        try rig.install("echo again >> launched; exec sleep 600")
        let always = try rig.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = DaemonRig.bundle.rawValue
                    $0.location = .always
                }
            }
        )
        #expect(always.failure.message == "")
        try await self.streamUntilItDies(rig)
        #expect(try Waiting.until(within: 20) { try rig.status.apps.first?.process == "not running" })
        let file = rig.scratch.path + "/state/containers/com.example.Test/launched"
        var isLaunched = false
        for _ in 0..<500 where !isLaunched {
            let now = Clocks.now()
            let fix = Fix(
                latitude: 1,
                longitude: 1,
                horizontalAccuracy: 5000,
                time: now.wall,
                arrival: now.monotonic
            )
            // There is no receiver; this source replaces it.
            await rig.daemon.feed(.sensed(.ready(.receiver)))
            await rig.daemon.feed(.sensed(.fix(fix)))
            isLaunched = Waiting.until(within: 0.02) { FileManager.default.fileExists(atPath: file) }
        }
        #expect(isLaunched)
        #expect(try rig.status.apps.first?.pid ?? 0 > 0)
        await rig.daemon.stop()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "again\n")
    }

    /// Makes the app iterate over live updates with a session for Always, until its process dies.
    private func streamUntilItDies(_ rig: DaemonRig) async throws {
        let client = try await rig.connectApp()
        try rig.declare(
            .with {
                $0.sessions = [
                    .with {
                        $0.id = 1
                        $0.requirement = .always
                    }
                ]
                $0.streams = [
                    .with {
                        $0.id = 2
                        $0.live = .init()
                    }
                ]
            },
            on: client
        )
        #expect(try Waiting.until(within: 20) { try rig.status.apps.first?.streams == 1 })
        rig.endApps()
    }
}
