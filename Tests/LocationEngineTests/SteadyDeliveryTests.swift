internal import OrderedCollections
internal import Testing

@testable internal import LocationEngine

/// The short way a fix takes while nothing else changes.
@Suite struct SteadyDeliveryTests {
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var bits = self.state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }

    /// Two devices live the same random life, one always takes the long way, and nobody can tell them apart.
    @Test(arguments: 0..<40) func isTheLongOneMadeShort(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        var short = Device()
        var long = Device()
        var steady = 0
        for step in 0..<300 {
            let choice = Int.random(in: 0..<14, using: &random)
            let detail = Int.random(in: 0..<4, using: &random)
            for isLong in [false, true] {
                func live(_ device: inout Device) {
                    switch choice {
                    case 0: device.feed(.authorizationSet(Device.app, Authorization.Setting.allCases[detail]))
                    case 1: device.feed(.accuracySet(Device.app, precise: detail > 0))
                    case 2: device.feed(.phaseChanged(Device.app, detail < 2 ? .foreground : .background))
                    case 3:
                        if device.engine.clients[ClientID(1)] == nil {
                            device.connect(1, phase: detail < 3 ? .foreground : .background, isManaged: true)
                        } else if detail == 0 {
                            device.feed(.clientVanished(ClientID(1)))
                            device.feed(.appExited(Device.app, .exited(0)))
                        }
                    case 4:
                        let services: [Service] = [
                            .live(.default), .standard(StandardOptions(distanceFilter: 20_000)),
                            .once(desiredAccuracy: 0), .live(.fitness),
                        ]
                        device.declare(
                            1,
                            Declaration(
                                sessions: [.init(id: 1, requirement: .always)],
                                streams: services.prefix(detail + 1).enumerated().map {
                                    .init(id: UInt64(step * 10 + $0.offset + 10), service: $0.element)
                                },
                                activities: detail > 1 ? [.init(id: 2, kind: .backgroundSession)] : []
                            )
                        )
                    case 5: device.pass(Double(detail) * 7)
                    case 6 where detail == 0: device.feed(.sensed(.lost(.receiver)))
                    case 7 where detail == 0: device.feed(.servicesSwitched(on: step % 2 == 0))
                    default:
                        device.pass(1)
                        if isLong { device.engine.isSteady = false } else if device.engine.isSteady { steady += 1 }
                        device.fix(latitude: 425_000_000 + Int32(step / 20) * Int32(detail) * 3000)
                    }
                }
                if isLong { live(&long) } else { live(&short) }
            }
            #expect(short.effects == long.effects, "seed \(seed), step \(step)")
            long.engine.isSteady = short.engine.isSteady
            #expect(short.engine == long.engine, "seed \(seed), step \(step)")
        }
        #expect(steady > 0)
    }
}
