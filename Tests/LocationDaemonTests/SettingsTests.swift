internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests for people's changes in Settings, and for the owner's rules, which have priority.
@Suite(.offPool, .timeLimit(.minutes(1))) struct SettingsTests {
    private typealias Change = WireSettingsRequest

    @Test func aChangeHoldsAtOnceForAnAppThatRuns() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let client = try await rig.connectApp(isSeen: false)
        func state(_ change: Change) throws -> WireState {
            #expect(try rig.ask(.with { $0.settings = change }).failure.message == "")
            while true {
                let packet = try DaemonRig.packet(from: client)
                let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
                if case .state(let state) = message.body { return state }
            }
        }
        try rig.declare(.init(), on: client)
        _ = try DaemonRig.packet(from: client)
        let app = Change.with { $0.bundle = "com.example.Test" }
        var change = app
        change.location = .always
        #expect(try state(change).authorization == .always)
        change = app
        change.precise = false
        #expect(try state(change).reducedAccuracy)
        #expect(try state(.with { $0.locationServices = false }).servicesDisabled)
        #expect(try !state(.with { $0.locationServices = true }).servicesDisabled)
        change = app
        change.location = .never
        #expect(try state(change).authorization == .denied)
        change.location = .askNextTime
        #expect(try state(change).authorization == .notDetermined)
        await rig.daemon.stop()
    }

    @Test func whatIsWrongIsNamedAndNothingIsChanged() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let wrong = try rig.ask(
            .with {
                $0.settings = .with {
                    $0.locationServices = false
                    $0.bundle = "com.example.Absent"
                    $0.location = .always
                }
            }
        )
        #expect(wrong.failure.message.contains("com.example.Absent"))
        let unknown = try rig.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = "com.example.Test"
                    $0.location = .UNRECOGNIZED(9)
                }
            }
        )
        #expect(unknown.failure.message.contains("may be older than locationctl"))
        #expect(try rig.ask(.with { $0.settings = .init() }).settings.locationServices)
        await rig.daemon.stop()
    }

    private static var always: DaemonRig.Control {
        .with {
            $0.settings = .with {
                $0.bundle = "com.example.Test"
                $0.location = .always
            }
        }
    }

    private static var servicesOff: DaemonRig.Control {
        .with { $0.settings = .with { $0.locationServices = false } }
    }

    @Test func whatTheOwnerLockedPeopleCannotChange() async throws {
        let rules = #"{"locationServices": true, "apps": {"com.example.Test": {"restriction": "locked"}}}"#
        let rig = try await DaemonRig(management: rules)
        try rig.install()
        #expect(try rig.ask(Self.always).failure.message.contains(rig.managementPath))
        let off = try rig.ask(Self.servicesOff)
        #expect(off.failure.message.contains(rig.managementPath))
        let settings = try rig.ask(.with { $0.settings = .init() }).settings
        #expect(settings.locationServicesManaged && settings.apps.map(\.restriction) == [.locked])
        #expect(try rig.status.apps.map(\.authorization) == [.restricted])
        // The rules are read again: an invalid file changes nothing, a valid one takes effect.
        try Data("{\"apps\": 1}".utf8).write(to: URL(fileURLWithPath: rig.managementPath))
        await rig.daemon.reload()
        #expect(try rig.ask(Self.always).failure.message != "")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: rig.managementPath))
        await rig.daemon.reload()
        #expect(try rig.ask(Self.always).settings.apps.map(\.location) == [.always])
        await rig.daemon.stop()
    }

    @Test func aDeviceWithoutPeopleAnswersByItsRules() async throws {
        let rules = #"{"everyApp": {"headless": true, "answer": "while-using", "precise": false}}"#
        let rig = try await DaemonRig(management: rules)
        try rig.install()
        let client = try await rig.connectApp()
        let isHidden = WireClientMessage.with { $0.phaseReport.phase = .background }
        #expect(try client.send(try WireMessage.encode(isHidden)) == .sent)
        try rig.want(on: client)
        #expect(
            try Waiting.until(within: 20) { try rig.status.apps.map(\.authorization) == [.whenInUse] }
        )
        #expect(try rig.status.apps.map(\.reducedAccuracy) == [true])
        #expect(try rig.status.apps.map(\.process) == ["in use (headless)"])
        await rig.daemon.stop()
    }

    @Test(arguments: [
        ("[]", "JSON object"), ("{", "JSON object"), (#"{"apps": []}"#, "JSON object"),
        (#"{"app": {}}"#, "app is unknown"),
        (#"{"locationServices": "on"}"#, "locationServices must be true or false"),
        (#"{"apps": {"a.b": true}}"#, "apps.a.b must be an object"),
        (#"{"apps": {"not a bundle!": {}}}"#, "apps.not a bundle! must be a bundle identifier"),
        (#"{"apps": {"a.b": {"restriction": "some"}}}"#, "apps.a.b.restriction must be none, locked or forbidden"),
        (#"{"everyApp": {"headless": "yes"}}"#, "everyApp.headless must be true or false"),
        (#"{"everyApp": {"answer": "sometimes"}}"#, "everyApp.answer must be never, while-using or always"),
        (#"{"everyApp": {"precise": true}}"#, "everyApp.precise needs answer"),
        (#"{"everyApp": {"colour": "red"}}"#, "everyApp.colour is unknown"),
        (#"{"apps": {"a.b": {"answer": "never"}, "a.b": {"answer": "always"}}}"#, "apps.a.b is given twice"),
        (#"{"everyApp": {"headless": true, "headless": false}}"#, "everyApp.headless is given twice"),
    ])
    func aWrongRuleIsNamed(_ text: String, _ rule: String) throws {
        let scratch = try Scratch()
        let path = scratch.path + "/rules.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: DaemonError.self) { try ManagementFile.read(path) }
        #expect(error.description.hasPrefix(path) && error.description.contains(rule), "\(error)")
        #expect(throws: DaemonError.self) { try ManagementFile.read(path + ".absent") }
    }

    @Test func everyRuleIsRead() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/rules.json"
        let text = """
            {"locationServices": false, "everyApp": {"restriction": "forbidden"},
             "apps": {"b.b": {"answer": "never"}, "a.a": {"headless": true, "answer": "always", "precise": false}}}
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let management = try ManagementFile.read(path)
        #expect(management.locationServices == false)
        #expect(management.everyApp == Management.Rule(restriction: .forbidden))
        #expect(management.rule(for: BundleID("a.a")) == .init(isHeadless: true, answer: .always(precise: false)))
        #expect(management.rule(for: BundleID("b.b")) == .init(answer: .never))
    }
}
