internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: the engine's optimised paths give the same results.
///
/// An input examines only changed apps, and a fix only streams, if nothing else changed.
@Suite struct SteadyDeliveryTests {
    /// An event on a device with three apps.
    private struct Event {
        var kind: Int
        var detail: Int
        var app: Int
        var step: Int

        init(_ step: Int, using random: inout SeededGenerator) {
            self.kind = Int.random(in: 0..<22, using: &random)
            self.detail = Int.random(in: 0..<4, using: &random)
            self.app = Int.random(in: 0..<3, using: &random)
            self.step = step
        }

        private var bundle: BundleID { [Device.app, SteadyDeliveryTests.second, SteadyDeliveryTests.third][self.app] }

        /// The client's number identifies its app; the extension's number is higher by a hundred.
        private var client: UInt64 { UInt64(self.app + 1) }

        func happen(to device: inout Device) {
            let id = ClientID(self.client)
            switch self.kind {
            case 0: device.feed(.authorizationSet(self.bundle, Authorization.Setting.allCases[self.detail]))
            case 1: device.feed(.accuracySet(self.bundle, precise: self.detail > 0))
            case 2: device.feed(.phaseChanged(self.bundle, self.detail < 2 ? .foreground : .background))
            case 3: self.comeOrGo(id, &device)
            case 4, 5: device.declare(self.client, self.declaration)
            case 6: device.pass(Double(self.detail) * 7)
            case 7 where self.detail == 0: device.feed(.sensed(.lost(.receiver)))
            case 8 where self.detail == 0: device.feed(.servicesSwitched(on: self.step % 2 == 0))
            case 9: device.feed(.authorizationRequested(id, self.detail == 0 ? .whenInUse : .always))
            case 10: device.feed(.fullAccuracyRequested(id, purpose: "Navigation", request: UInt64(self.step)))
            case 11:
                if let prompt = device.engine.currentPrompt { device.feed(.promptAnswered(prompt.id, self.answer)) }
            case 12 where self.detail < 2: device.feed(.managementChanged(self.management))
            case 13: device.feed(.pushTokenRequested(id, request: UInt64(self.step)))
            case 14 where self.detail == 0: device.feed(.pushMonitoringStopped(id))
            case 15: device.feed(.pushReceived(self.push(device)))
            case 16: self.runExtension(&device)
            case 17 where self.detail == 0: device.pass(700)
            case 18 where self.detail == 0 && self.app == 2:
                device.feed(.appUninstalled(self.bundle))
                device.feed(.appInstalled(self.bundle, Device.manifest))
            case 19: device.feed(.activityDismissed(self.bundle, title: "Run"))
            case 20:
                if self.detail == 0 { device.feed(.sensed(.lost(.scanner))) }
                for minor in 0..<UInt16(self.detail) { device.scan(Device.beacon(1, minor)) }
                device.scan()
                device.pass(1)
            default:
                device.pass(1)
                device.fix(latitude: 425_000_000 + Int32(self.step / 20) * Int32(self.detail) * 3000)
            }
        }

        private func comeOrGo(_ id: ClientID, _ device: inout Device) {
            if device.engine.owners[id] == nil {
                let phase: Lifecycle.Phase = self.detail < 3 ? .foreground : .background
                let arrival = Lifecycle.Arrival(phase: phase, isManaged: true)
                device.feed(.clientConnected(id, Principal(bundle: self.bundle, role: .app), arrival))
            } else if self.detail == 0 {
                device.feed(.clientVanished(id))
                device.feed(.appExited(self.bundle, .exited(0)))
            } else if self.detail == 1 {
                device.feed(.appExited(self.bundle, .signalled(9)))
            }
        }

        private var declaration: Declaration {
            let services: [Service] = [
                .live(.default), .standard(StandardOptions(distanceFilter: 20_000, allowsBackground: true)),
                .ranging(BeaconIdentity(uuid: Device.shop, major: 1)), .once(desiredAccuracy: 0), .significantChanges,
                .visits,
            ]
            return Declaration(
                sessions: [
                    .init(id: 1, requirement: .always, fullAccuracyPurpose: self.detail == 1 ? "Navigation" : nil)
                ],
                streams: services.prefix(self.detail + 3).enumerated().map {
                    .init(id: UInt64(self.step * 10 + $0.offset + 10), service: $0.element)
                },
                activities: [
                    .init(id: 2, kind: .backgroundSession), .init(id: 3, kind: .liveActivity(title: "Run")),
                ].suffix(self.detail > 1 ? self.detail - 1 : 0)
            )
        }

        private var answer: Prompt.Answer {
            let answers: [Prompt.Answer] = [
                .allowWhileUsing(precise: self.app > 0), .changeToAlways, .allowFullAccuracy,
                .allowOnce(precise: true), .keepWhileUsing, .denyFullAccuracy,
            ]
            return answers[(self.detail + self.app) % answers.count]
        }

        private var management: Management {
            switch self.app {
            case 0: Management()
            case 1: Management(apps: [Device.app: .init(restriction: .forbidden)])
            default: Management(everyApp: .init(isHeadless: true, answer: .always(precise: true)))
            }
        }

        private func push(_ device: Device) -> Push {
            Push(
                id: PushID(high: 9, low: UInt64(self.step)),
                bundle: self.bundle,
                payload: Array("{}".utf8),
                priority: Push.Priority.allCases[self.detail % 3],
                expiration: nil,
                received: device.now.monotonic
            )
        }

        /// Makes the app's extension connect, complete a push, or end; ignored if that is impossible.
        private func runExtension(_ device: inout Device) {
            let id = ClientID(self.client + 100)
            switch device.engine.apps[self.bundle]?.pushExtension.state {
            case .starting(let launch, _):
                let principal = Principal(bundle: self.bundle, role: .pushExtension(launch))
                device.feed(.clientConnected(id, principal, Lifecycle.Arrival(phase: .background, isManaged: true)))
            case .running(let launch, _, _), .warned(let launch, _, _), .finishing(let launch, _):
                if self.detail < 2, let push = device.engine.apps[self.bundle]?.pushExtension.working.first {
                    device.feed(.pushCompleted(id, push))
                } else {
                    device.feed(.clientVanished(id))
                    device.feed(.extensionExited(self.bundle, launch, .exited(0)))
                }
            case .idle, nil: break
            }
        }
    }

    private static let second = BundleID("com.example.Compass")
    private static let third = BundleID("com.example.Tracker")

    /// The stored properties that differ between two values, with the text around each difference.
    private static func differences(_ one: some Any, _ other: some Any, _ path: String = "") -> [String] {
        let (ones, others) = (Array(Mirror(reflecting: one).children), Array(Mirror(reflecting: other).children))
        guard !ones.isEmpty, ones.count == others.count else {
            return "\(one)" == "\(other)" ? [] : ["\(path): \(one), \(other)"]
        }
        return zip(ones, others).enumerated().flatMap { number, pair in
            Self.differences(pair.0.value, pair.1.value, "\(path).\(pair.0.label ?? "\(number)")")
        }
    }

    /// Two devices get the same random events.
    ///
    /// One examines everything each time, and both must stay equal.
    @Test(arguments: 0..<100) func areTheLongOnesMadeShort(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var short = Device()
        var steady = 0
        for bundle in [Self.second, Self.third] { short.feed(.appInstalled(bundle, Device.manifest)) }
        var long = short
        long.engine.looksAtEverything = true
        for step in 0..<300 {
            let event = Event(step, using: &random)
            if short.engine.isSteady(.receiver) { steady += 1 }
            event.happen(to: &short)
            event.happen(to: &long)
            var other = long.engine
            other.looksAtEverything = false
            // Compared outside of the macro, which would print both engines.
            let (saysTheSame, isTheSame) = (short.effects == long.effects, short.engine == other)
            #expect(saysTheSame, "step \(step): \(event)\nshort: \(short.effects)\nlong: \(long.effects)")
            #expect(isTheSame, "step \(step): \(event): \(Self.differences(short.engine, other))")
            guard saysTheSame, isTheSame else { return }
        }
        #expect(steady > 0)
    }
}
