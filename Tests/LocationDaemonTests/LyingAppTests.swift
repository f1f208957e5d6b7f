internal import Foundation
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Goal: apps that send too much, or messages reserved for others, do not disturb prompts and indicators, and the owner
/// still gets answers.
@Suite(.offPool, .timeLimit(.minutes(1))) struct LyingAppTests {
    /// One letter with combining marks, in as many bytes as a packet holds.
    private static let accents = "e" + String(repeating: "\u{301}", count: 60_000)

    private func bound(_ name: String, _ rig: DaemonRig) throws -> UInt64? {
        try rig.status.bounds.first { $0.bound == name }?.count
    }

    @Test func anAppWithHundredsOfLongTitlesCutsNoAgentOff() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let agent = try TestAgent(rig)
        let app = try await rig.connectApp()
        try rig.declare(
            .with {
                $0.activities = (0..<UInt64(255)).map { number in
                    .with {
                        $0.id = number + 1
                        $0.liveActivity.title = "\(number) " + String(repeating: "x", count: 490)
                    }
                }
                // The app also requests a prompt.
                $0.sessions = [
                    .with {
                        $0.id = 1000
                        $0.requirement = .whenInUse
                    }
                ]
            },
            on: app
        )
        let shown = try agent.wait { event -> AgentIndicators? in
            if case .indicators(let indicators) = event, !indicators.indicators.isEmpty { indicators } else { nil }
        }
        #expect(shown.indicators.count == Engine.activitiesShownMax && shown.leftOut == 247)
        #expect(shown.indicators.allSatisfy { $0.title.utf8.count <= 100 })
        #expect(try agent.waitForPrompt().bundle == DaemonRig.bundle.rawValue)
        let status = try rig.status
        #expect(status.apps.first?.activities.last == "and 239 more")
        #expect(try self.bound("texts-cut", rig) == 255)
        // An agent that connects later is shown the same.
        #expect(try TestAgent(rig).waitForPrompt().bundle == DaemonRig.bundle.rawValue)
        await rig.daemon.stop()
    }

    @Test func aNameOfManyAccentsIsCutEverywhere() async throws {
        let rig = try await DaemonRig()
        let path = try rig.scratch.makeBundle(adding: ["CFBundleName": Self.accents])
        try FileManager.default.createDirectory(atPath: path + "/de.lproj", withIntermediateDirectories: true)
        try Data(
            "CFBundleName = \"\(Self.accents)\"; NSLocationWhenInUseUsageDescription = \"\(Self.accents)\";".utf8
        )
        .write(to: URL(fileURLWithPath: path + "/de.lproj/InfoPlist.strings"))
        #expect(try rig.ask(.with { $0.install = .with { $0.path = path } }).failure.message == "")
        let app = try await rig.connectApp()
        for language in ["en", "de"] {
            let agent = try TestAgent(rig, languages: [language])
            let apps = try agent.wait { if case .apps(let apps) = $0 { apps } else { nil } }
            #expect(apps.apps.map(\.appName.utf8.count) == [99])
            try rig.want(on: app)
            let prompt = try agent.waitForPrompt()
            #expect(prompt.appName.utf8.count == 99 && prompt.purpose.utf8.count <= AgentConnections.purposeBytesMax)
        }
        #expect(try rig.status.apps.first?.name.utf8.count == 99)
        #expect(try rig.ask(.with { $0.settings = .init() }).settings.apps.first?.name.utf8.count == 99)
        await rig.daemon.stop()
    }

    @Test func longPurposesDoNotHideTheLog() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let app = try await rig.connectApp()
        for number in 0..<UInt64(16) {
            let message = WireClientMessage.with {
                $0.fullAccuracyRequest.request = number
                $0.fullAccuracyRequest.purpose = "\(number)" + Self.accents
            }
            #expect(try app.send(try WireMessage.encode(message)) == .sent)
        }
        let isNoted = try Waiting.until(within: 20) {
            let lines = try rig.ask(.with { $0.log = .with { $0.last = 250 } }).log.lines
            return lines.filter { $0.event == "key-missing" }.count == 16
                && lines.allSatisfy { $0.text.utf8.count <= DeviceLog.Line.textBytesMax }
        }
        #expect(isNoted)
        await rig.daemon.stop()
    }

    /// The person opens an app, which orders Always for itself, from a child process, and from a process that left its
    /// session.
    @Test(arguments: ["", "setsid "]) func anAppDoesNotGiveOrders(_ detaching: String) async throws {
        let rig = try await DaemonRig()
        let locationctl = try Binaries().path("locationctl")
        try rig.install("\(detaching)'\(locationctl)' authorize com.example.Test always 2>&1; echo done; sleep 60")
        _ = try rig.ask(.with { $0.run.bundle = DaemonRig.bundle.rawValue })
        let isOver = try Waiting.until(within: 20) {
            try self.bound("owners-refused", rig).map { $0 > 0 } ?? false
        }
        #expect(isOver)
        #expect(try rig.ask(.with { $0.settings = .init() }).settings.apps.first?.location == .askNextTime)
        await rig.daemon.stop()
    }

    /// The app was not started by a person and is invisible.
    ///
    /// It is refused, and no indicator is shown.
    @Test func aProcessThatNobodyStartedIsNotInUse() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        _ = try rig.ask(
            .with {
                $0.settings.bundle = DaemonRig.bundle.rawValue
                $0.settings.location = .whileUsing
            }
        )
        let app = try await rig.connectApp(isSeen: false)
        let report = WireClientMessage.with { $0.phaseReport.phase = .foreground }
        #expect(try app.send(try WireMessage.encode(report)) == .sent)
        try rig.declare(.with { $0.streams = [.with { $0.id = 1 }] }, on: app)
        while true {
            let packet = try DaemonRig.packet(from: app)
            let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
            guard case .update(let update) = message.body else { continue }
            #expect(update.element == nil && update.diagnostics != 0)
            break
        }
        #expect(try rig.status.apps.first?.process == "background")
        await rig.daemon.stop()
    }
}
