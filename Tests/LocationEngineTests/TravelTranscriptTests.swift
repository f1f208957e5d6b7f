internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// A day of an app that reads visits and significant changes, as a transcript.
@Suite struct TravelTranscriptTests {
    @Test func aDayOfADiary() {
        self.run(
            """
            open ->
            follow ->
            at 0 for 60 -> change
            at 0 for 1200 -> arrival
            leave -> freeze
            at 100 for 900 ->
            at 2000 for 600 -> thaw change departure freeze
            at 2000 for 900 -> thaw arrival freeze
            kill ->
            at 2000 for 3600 ->
            at 9000 for 320 -> launch
            relaunch ->
            follow -> change departure
            at 9000 for 60 -> freeze
            at 9000 for 900 -> thaw arrival freeze
            stop ->
            at 20000 for 3600 ->
            """
        )
    }

    private func run(_ script: String) {
        var device = Device(.always)
        var client: UInt64 = 0
        for line in script.split(separator: "\n") {
            let step = line.prefix { $0 != "-" }.split(separator: " ").map(String.init)
            var effects: [Engine.Effect] = []
            switch step.first {
            case "open", "relaunch":
                client += 1
                device.connect(client, phase: step[0] == "open" ? .foreground : .background, isManaged: true)
                effects = device.effects
            case "follow":
                let services = [Service.significantChanges, .visits].enumerated()
                device.declare(
                    client,
                    Declaration(streams: services.map { .init(id: UInt64($0.offset), service: $0.element) })
                )
                effects = device.effects
            case "stop":
                device.declare(client)
                effects = device.effects
            case "leave":
                device.feed(.phaseChanged(Device.app, .background))
                effects = device.effects + device.pass(30)
            case "kill":
                device.feed(.clientVanished(ClientID(client)))
                device.feed(.appExited(Device.app, .signalled(9)))
                effects = device.effects + device.pass(30)
            case "at": effects = device.live(north: Double(step[1]) ?? 0, seconds: Int(step[3]) ?? 0).effects
            default: Issue.record("no such step: \(line)")
            }
            let told = effects.compactMap(Self.words).joined(separator: " ")
            #expect("\(step.joined(separator: " ")) ->\(told.isEmpty ? "" : " ")\(told)" == line)
        }
    }

    private static func words(_ effect: Engine.Effect) -> String? {
        switch effect {
        case .tell(_, .update(let update, _)):
            switch update.element {
            case .fix: "change"
            case .visit(let visit): visit.departure == nil ? "arrival" : "departure"
            case .heading, .beacons, nil: "reasons"
            }
        case .process(.launchApp): "launch"
        case .process(.freeze): "freeze"
        case .process(.thaw): "thaw"
        case .tell, .persist, .disconnect, .people, .process, .sensor, .accuracy, .gateway, .forgetPush, .note: nil
        }
    }
}
