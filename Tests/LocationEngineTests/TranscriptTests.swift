internal import Testing
internal import WhereaboutsLocationEngine

/// The example of a workout from Apple's "What's new in location authorization" (9:25) as a transcript.
@Suite struct TranscriptTests {
    @Test func aWorkoutThatOutlivesItsProcess() {
        self.run(
            """
            open -> state
            take whenInUse -> ask diagnostics(authorizationRequestInProgress)
            answer whileUsing -> withdraw state diagnostics()
            record -> startReceiver diagnostics()
            fix 0 -> update
            leave -> state
            fix 20 -> update
            fix 30 -> update
            wait 4 -> indicators(1)
            fix 50 -> update
            lost -> update(locationUnavailable)
            wait 20 -> freeze
            fix 100 -> thaw update
            crash ->
            exit 9 ->
            wait 12 ->
            fix 150 -> launch(location)
            relaunch -> state
            record -> diagnostics() diagnostics() update
            fix 200 -> update
            return -> state indicators(0)
            stop ->
            wait 40 -> stopReceiver
            """
        )
    }

    private func run(_ script: String) {
        var device = Device()
        var client: UInt64 = 0
        for line in script.split(separator: "\n") {
            let step = line.prefix { $0 != "-" }.split(separator: " ").map(String.init)
            var effects: [Engine.Effect] = []
            switch step.first {
            case "open", "relaunch":
                client += 1
                device.connect(client, phase: step[0] == "open" ? .foreground : .background, isManaged: true)
                effects = device.effects
            case "take":
                device.declare(client, sessions: [(1, .whenInUse)])
                effects = device.effects
            case "record":

                device.declare(client, sessions: [(1, .whenInUse)], streams: [2], activities: [(3, .backgroundSession)])
                effects = device.effects
            case "stop":
                device.declare(client)
                effects = device.effects
            case "answer":
                device.answer(.allowWhileUsing(precise: true))
                effects = device.effects
            case "fix":
                device.pass(1)
                device.fix(latitude: 425_000_000 + (Int32(step[1]) ?? 0) * 100)
                effects = device.effects
            case "leave", "return":
                device.feed(.phaseChanged(Device.app, step[0] == "return" ? .foreground : .background))
                effects = device.effects
            case "lost":
                device.feed(.sensed(.lost(.receiver)))
                effects = device.effects
            case "crash":
                device.feed(.clientVanished(ClientID(client)))
                effects = device.effects
            case "exit":
                device.feed(.appExited(Device.app, .signalled(Int32(step[1]) ?? 0)))
                effects = device.effects
            case "wait":
                effects = device.pass(Double(step[1]) ?? 0)
            default: Issue.record("no such step: \(line)")
            }
            let told = effects.compactMap(Self.words).joined(separator: " ")
            let outcome = "\(step.joined(separator: " ")) ->\(told.isEmpty ? "" : " ")\(told)"
            #expect(outcome == line)
        }
    }

    private static func words(_ effect: Engine.Effect) -> String? {
        switch effect {
        case .tell(_, .state): "state"
        case .tell(_, .update(let update, _)):
            update.diagnostics.isEmpty
                ? "update" : update.diagnostics == .locationUnavailable ? "update(locationUnavailable)" : "update(…)"
        case .tell(_, .diagnostics(let diagnostics, _)):
            diagnostics == .authorizationRequestInProgress
                ? "diagnostics(authorizationRequestInProgress)"
                : diagnostics.isEmpty ? "diagnostics()" : "diagnostics(…)"
        case .people(.presentPrompt): "ask"
        case .people(.withdrawPrompt): "withdraw"
        case .people(.showIndicators(let shown)): "indicators(\(shown.count))"
        case .process(.launchApp(_, _, let reason)): "launch(\(reason))"
        case .process(.killApp): "killApp"
        case .process(.freeze): "freeze"
        case .process(.thaw): "thaw"
        case .sensor(let sensor, let isOn): "\(isOn ? "start" : "stop")\(sensor == .receiver ? "Receiver" : "Compass")"
        case .persist, .note, .gateway, .tell(_, .requestResult), .tell(_, .pushToken), .tell(_, .push),
            .tell(_, .warning), .tell(_, .finish), .tell(_, .monitor), .disconnect, .process(.launchExtension),
            .process(.killExtension),
            .forgetPush, .accuracy:
            nil
        }
    }
}
