internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// A visit to a shop with beacons as a transcript.
@Suite struct BeaconTranscriptTests {
    @Test func aVisitToAShop() {
        self.run(
            """
            open ->
            add -> scannerOn
            hear nothing 31 -> away
            leave ->
            hear nothing 600 -> freeze
            hear till 3 -> thaw near(till)
            hear door 3 ->
            hear nothing 25 -> freeze
            hear till 5 ->
            hear nothing 29 ->
            hear nothing 40 -> thaw away freeze
            kill ->
            hear nothing 60 ->
            hear door 1 -> launch
            relaunch ->
            read -> near(door)
            hear nothing 20 -> freeze
            lose ->
            hear nothing 600 ->
            find ->
            hear nothing 8 ->
            hear nothing 8 -> thaw away
            remove ->
            wait 60 -> freeze scannerOff
            """
        )
    }

    private func run(_ script: String) {
        var device = Device()
        device.feed(.sensed(.ready(.scanner)))
        device.feed(.authorizationSet(Device.app, .always))
        let beacons = ["till": Device.beacon(1, 1), "door": Device.beacon(1, 2)]
        var client: UInt64 = 0
        var isThere = true
        for line in script.split(separator: "\n") {
            let step = line.prefix { $0 != "-" }.split(separator: " ").map(String.init)
            var effects: [Engine.Effect] = []
            switch step.first {
            case "open", "relaunch":
                client += 1
                device.connect(client, phase: step[0] == "open" ? .foreground : .background, isManaged: true)
                effects = device.effects
                if step[0] == "open" { device.readMonitor(client) }
            case "read":
                device.readMonitor(client)
                effects = device.effects
            case "add":
                device.add("shop", Device.near(1), by: client)
                effects = device.effects
            case "remove":
                device.change(client, 9, .remove(identifier: "shop"))
                effects = device.effects
            case "leave":
                device.feed(.phaseChanged(Device.app, .background))
                effects = device.effects
            case "kill":
                device.feed(.clientVanished(ClientID(client)))
                device.feed(.appExited(Device.app, .signalled(9)))
                effects = device.effects
            case "lose", "find":
                isThere = step[0] == "find"
                effects = device.feed(.sensed(isThere ? .ready(.scanner) : .lost(.scanner)))
            case "hear":
                for _ in 0..<(Int(step[2]) ?? 0) {
                    effects += isThere ? device.listen(1, to: [beacons[step[1]]].compactMap(\.self)) : device.pass(1)
                    for event in device.events(client) {
                        if let number = event.number { effects += self.handle(number, client, &device) }
                    }
                }
            case "wait": effects = device.pass(Double(step[1]) ?? 0)
            default: Issue.record("no such step: \(line)")
            }
            if step[0] == "read" {
                for event in device.events(client) {
                    if let number = event.number { _ = self.handle(number, client, &device) }
                }
            }
            let told = effects.compactMap(Self.words).joined(separator: " ")
            #expect("\(step.joined(separator: " ")) ->\(told.isEmpty ? "" : " ")\(told)" == line)
        }
    }

    private func handle(_ event: UInt64, _ client: UInt64, _ device: inout Device) -> [Engine.Effect] {
        device.change(client, 5, .handled(event))
        return device.effects
    }

    private static func words(_ effect: Engine.Effect) -> String? {
        switch effect {
        case .tell(_, .monitor(.event(let event), _)):
            event.state == .satisfied ? "near(\(event.refinement?.minor == 1 ? "till" : "door"))" : "away"
        case .process(.launchApp): "launch"
        case .process(.freeze): "freeze"
        case .process(.thaw): "thaw"
        case .sensor(.scanner, let isOn): isOn ? "scannerOn" : "scannerOff"
        case .tell, .persist, .disconnect, .people, .process, .sensor, .accuracy, .gateway, .forgetPush, .note: nil
        }
    }
}
