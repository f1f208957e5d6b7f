internal import WhereaboutsVocabulary

/// The relay of a scenario, between the sharing server and the gateway.
extension Scenario {
    /// A relay and its senders.
    struct RelayPlan: Sendable, Hashable, Codable {
        /// The pushes in a day that it sends for the server.
        var pushesADay: Int
        /// The pushes in a day that it sends for another vendor's server.
        var othersADay: Int
    }

    /// The lies that a relay tells in addition to its work.
    enum RelayLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// It reports that a push was accepted, and sends nothing.
        case drops
        /// It sends each push again and again.
        case repeats
        /// It sends pushes later, many after their requests have ended, and in another order.
        case delays
        /// It reports that the device's token is dead, and sends nothing.
        case denies
        /// It keeps earlier pushes, and sends them to other tokens.
        case swaps
    }

    /// The repeated pushes of another sender at the relay.
    enum Flood: String, Sendable, Hashable, Codable, CaseIterable {
        /// Sealed pushes to unknown tokens.
        case sealed
        /// Pushes that are not sealed.
        case plain
        /// Sealed pushes with an additional text.
        case named
        /// Pushes of another type than location pushes.
        case alerts
    }

    /// Some worlds have a relay, which fails, lies, and has another sender.
    mutating func drawRelay(_ random: inout SeededGenerator) {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return }
        self.relay = RelayPlan(
            pushesADay: Int.random(in: 0..<6, using: &random) == 0 ? Int.random(in: 1...40, using: &random) : 100_000,
            othersADay: Int.random(in: 1...200, using: &random)
        )
        let kinds = (0..<7).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        for _ in 0..<(kinds.isEmpty ? 0 : Int.random(in: 1...6, using: &random)) {
            let span = Int.random(in: 500...90_000, using: &random)
            let what: Act.What =
                switch kinds[Int.random(in: kinds.indices, using: &random)] {
                case 0: .kill(.relay, milliseconds: Int.random(in: 10...30_000, using: &random))
                case 1: .cut(.relay, Bool.random(using: &random) ? .gateway : .server, milliseconds: span)
                case 2: .fillDisk(.relay, milliseconds: span)
                case 3: .failDisk(.relay, milliseconds: span)
                case 4: .rollBack(.relay, seconds: Int.random(in: 1...300, using: &random))
                case 5: .slow(.relay, milliseconds: span, by: Int.random(in: 100...6000, using: &random))
                default: .stepClock(.relay, seconds: Int.random(in: -100_000...100_000, using: &random))
                }
            self.drawn(what, &random)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let lie = RelayLie.allCases[Int.random(in: RelayLie.allCases.indices, using: &random)]
                self.drawn(.relayLies(lie, milliseconds: Int.random(in: 20_000...200_000, using: &random)), &random)
            }
        }
        if Bool.random(using: &random) {
            for _ in 0..<Int.random(in: 1...3, using: &random) { self.drawFlood(&random, until: self.healsAt * 1000) }
            // So that many pushes are under way at the same time, or are lost.
            if Bool.random(using: &random), let flood = self.acts.last {
                let isCut = Bool.random(using: &random)
                self.acts.append(
                    Act(
                        at: flood.at,
                        what: isCut
                            ? .cut(.relay, .gateway, milliseconds: 8000) : .kill(.gateway, milliseconds: 8000)
                    )
                )
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let write = Int.random(in: 1...80, using: &random)
                self.deaths.append(Death(node: .relay, write: write, isAfter: Bool.random(using: &random)))
            }
        }
    }

    /// Adds an honest relay with another sender that breaks the rules.
    mutating func drawBesiegedRelay(_ random: inout SeededGenerator) {
        guard Bool.random(using: &random) else { return }
        self.relay = RelayPlan(pushesADay: 100_000, othersADay: Int.random(in: 1...200, using: &random))
        for _ in 0..<Int.random(in: 1...3, using: &random) { self.drawFlood(&random, until: self.healsAt * 1000) }
    }

    private mutating func drawFlood(_ random: inout SeededGenerator, until end: Int) {
        let at = Int.random(in: 0...end, using: &random)
        let span = min(Int.random(in: 2000...20_000, using: &random), end - at)
        let isSealed = Int.random(in: 0..<3, using: &random) > 0
        let flood = isSealed ? .sealed : Flood.allCases[Int.random(in: Flood.allCases.indices, using: &random)]
        let every = Int.random(in: 10...300, using: &random)
        self.acts.append(Act(at: at, what: .flood(flood, milliseconds: span, every: every)))
    }

    private mutating func drawn(_ what: Act.What, _ random: inout SeededGenerator) {
        self.acts.append(Act(at: Int.random(in: 0...self.healsAt * 1000, using: &random), what: what))
    }

    /// Whether a relay falsely reports a device's token as dead, so that the app has to register again.
    var deniesTokens: Bool {
        self.acts.contains { if case .relayLies(.denies, _) = $0.what { true } else { false } }
    }
}
