internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests for agents that answer prompts for people (docs/protocol/agent.md).
@Suite(.offPool, .timeLimit(.minutes(1))) struct AgentTests {
    @Test func aPromptIsShownInTheAgentsLanguageAndItsAnswerHolds() async throws {
        let rig = try await DaemonRig()
        let german = rig.scratch.path + "/Test.app/de.lproj"
        try FileManager.default.createDirectory(atPath: german, withIntermediateDirectories: true)
        let texts = "CFBundleName = \"Prüfling\"; NSLocationWhenInUseUsageDescription = \"Darum.\";"
        try Data(texts.utf8).write(to: URL(fileURLWithPath: german + "/InfoPlist.strings"))
        try rig.install()
        let agent = try TestAgent(rig, languages: ["de_DE.UTF-8"])
        let client = try await rig.connectApp()
        try rig.want(on: client)
        let prompt = try agent.waitForPrompt()
        #expect(prompt.appName == "Prüfling" && prompt.purpose == "Darum.")
        #expect(prompt.question == .whenInUse && prompt.offersPrecise)
        #expect(prompt.choices == [.allowOnce, .allowWhileUsing, .dontAllow])
        #expect(try rig.status.prompt.id == prompt.id && rig.status.agents == 1)
        try agent.answer(prompt.id, .allowWhileUsing, approximate: true)
        #expect(try agent.waitForWithdrawal() == prompt.id)
        let settings = try rig.ask(.with { $0.settings = .init() }).settings
        #expect(settings.apps.map(\.location) == [.whileUsing] && settings.apps.map(\.precise) == [false])
        await rig.daemon.stop()
    }

    @Test func theFirstAnswerCounts() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let (first, second) = (try TestAgent(rig), try TestAgent(rig))
        try rig.want(on: try await rig.connectApp())
        let prompt = try first.waitForPrompt()
        #expect(try second.waitForPrompt().id == prompt.id)
        try second.answer(prompt.id, .dontAllow)
        #expect(try first.waitForWithdrawal() == prompt.id)
        try first.answer(prompt.id, .allowOnce)
        #expect(try first.waitForRefusal().contains("\(prompt.id)"))
        #expect(try rig.ask(.with { $0.settings = .init() }).settings.apps.map(\.location) == [.never])
        await rig.daemon.stop()
    }

    @Test func whatADeadAgentWasShownIsShownToTheNext() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let client = try await rig.connectApp()
        try rig.want(on: client)
        let id = try TestAgent(rig).waitForPrompt().id
        let next = try TestAgent(rig)
        #expect(try next.waitForPrompt().id == id)
        // Without an agent, the request stays in progress, and a wrong answer does not end it.
        try next.answer(id, .changeToAlways)
        #expect(try next.waitForRefusal().contains("ALLOW_ONCE, ALLOW_WHILE_USING, DONT_ALLOW"))
        #expect(try rig.status.prompt.id == id)
        try next.answer(id, .allowOnce)
        #expect(try next.waitForWithdrawal() == id)
        let settings = try rig.ask(.with { $0.settings = .init() }).settings
        #expect(settings.apps.map(\.location) == [.askNextTime] && settings.apps.map(\.allowedOnce) == [true])
        await rig.daemon.stop()
    }

    @Test func anAgentHearsOfPhasesAndSetsThem() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let agent = try TestAgent(rig)
        func waitForPhase(_ wanted: AgentPhase) throws {
            _ = try agent.wait { body -> Bool? in
                if case .apps(let apps) = body, apps.apps.map(\.phase) == [wanted] { true } else { nil }
            }
        }
        func set(_ phase: AgentPhase, _ bundle: String = "com.example.Test") throws {
            try agent.send(
                .with {
                    $0.setPhase = .with {
                        $0.bundle = bundle
                        $0.phase = phase
                    }
                }
            )
        }
        try waitForPhase(.notRunning)
        try set(.foreground)
        #expect(try agent.waitForRefusal().contains("is not running"))
        let client = try await rig.connectApp()
        try rig.declare(.init(), on: client)
        try waitForPhase(.foreground)
        try set(.background)
        try waitForPhase(.background)
        try set(.suspended)
        #expect(try agent.waitForRefusal().contains("FOREGROUND"))
        try set(.foreground, "com.example.Absent")
        #expect(try agent.waitForRefusal().contains("com.example.Absent"))
        try set(.foreground)
        try waitForPhase(.foreground)
        withExtendedLifetime(client) {}
        await rig.daemon.stop()
    }

    @Test func aLiveActivityIsShownAndDismissed() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let agent = try TestAgent(rig)
        let client = try await rig.connectApp()
        try rig.declare(
            .with {
                $0.activities = [
                    .with {
                        $0.id = 7
                        $0.liveActivity = .with { $0.title = "Ride" }
                    }
                ]
            },
            on: client
        )
        func waitForTitles(_ titles: [String]) throws {
            _ = try agent.wait { body -> Bool? in
                if case .indicators(let all) = body, all.indicators.map(\.title) == titles { true } else { nil }
            }
        }
        try waitForTitles(["Ride"])
        #expect(try rig.status.indicators.map(\.title) == ["Ride"])
        func dismiss(_ title: String) throws {
            try agent.send(
                .with {
                    $0.dismissActivity = .with {
                        $0.bundle = "com.example.Test"
                        $0.title = title
                    }
                }
            )
        }
        try agent.send(.with { $0.displayLit = .init() })
        try dismiss("Walk")
        #expect(try agent.waitForRefusal().contains("Walk"))
        try dismiss("Ride")
        try waitForTitles([])
        await rig.daemon.stop()
    }

    @Test func garbageEndsOnlyTheConnectionItCameOn() async throws {
        let rig = try await DaemonRig()
        let good = try TestAgent(rig)
        for garbage: [UInt8] in [[0xFF], [0xFF, 0xFF, 0xFF], Array(repeating: 0xFF, count: 100_000)] {
            let bad = try PacketSocket.connect(to: SocketPaths.agent(in: rig.runtime))
            _ = try bad.send(garbage)
            guard case .closed = try bad.waitForPacket(milliseconds: 10_000) else {
                return #expect(Bool(false), "still open")
            }
        }
        // A field of a later version of the schema.
        _ = try good.socket.send([0x7A, 0x00])
        #expect(try good.waitForRefusal().contains("newer"))
        try good.send(.with { $0.hello = .with { $0.version = 2 } })
        #expect(try good.waitForRefusal().contains("version 1"))
        await rig.daemon.stop()
    }

    @Test func whatNamesNoAppIsRefusedInWords() async throws {
        let rig = try await DaemonRig()
        let agent = try TestAgent(rig)
        try agent.send(.with { $0.setPhase.phase = .foreground })
        #expect(try agent.waitForRefusal().hasSuffix("names no app; none is installed (`locationctl install`)"))
        try agent.send(.with { $0.dismissActivity.title = "x" })
        #expect(try agent.waitForRefusal().hasPrefix("an empty text names no app"))
        let always = WireControlRequest.with { $0.settings.location = .always }
        #expect(try rig.ask(always).failure.message.hasPrefix("an empty text names no app"))
        await rig.daemon.stop()
    }

    @Test func moreAgentsThanPeopleHaveAreTurnedAway() async throws {
        let rig = try await DaemonRig()
        let agents = try (0..<Daemon.ownersConnectionsMax).map { _ in try TestAgent(rig) }
        for agent in agents { _ = try agent.wait { if case .apps = $0 { true } else { nil } } }
        let further = try PacketSocket.connect(to: SocketPaths.agent(in: rig.runtime))
        let refusal = try WireMessage.decode(AgentEvent.self, from: DaemonRig.packet(from: further)).refusal
        #expect(refusal.message == "64 agents are connected, which is the limit; end one of them")
        guard case .closed = try further.waitForPacket(milliseconds: 10_000) else {
            return #expect(Bool(false), "still open")
        }
        #expect(try rig.status.agents == UInt32(Daemon.ownersConnectionsMax))
        withExtendedLifetime(agents) {}
        await rig.daemon.stop()
    }
}
