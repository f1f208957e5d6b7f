internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// The part of a scenario that a relay has, between the sharing server and the gateway.
extension Scenario {
    /// A relay and its senders.
    struct RelayPlan: Sendable, Hashable, Codable {
        /// The pushes in a day that it sends for the server.
        var pushesADay: Int
        /// The pushes in a day that it sends for the server of others.
        var othersADay: Int
    }

    /// The lies of a relay, beside its work.
    enum RelayLie: String, Sendable, Hashable, Codable, CaseIterable {
        /// It says that a push was taken, and sends nothing.
        case drops
        /// It sends each push again and again.
        case repeats
        /// It sends pushes later, many after nobody waits for them, and in another order.
        case delays
        /// It says that the device's token is dead, and sends nothing.
        case denies
        /// It keeps what passed, and sends it to others' tokens.
        case swaps
    }

    /// The pushes of another sender of the relay's, again and again.
    enum Flood: String, Sendable, Hashable, Codable, CaseIterable {
        /// Sealed ones, to tokens that nobody has.
        case sealed
        /// Such as say what is asked.
        case plain
        /// Sealed ones with a text beside.
        case named
        /// Such as are no location pushes.
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
            // So that many are under way at a time, or come to nobody.
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

    /// Adds a relay that keeps its rules while another sender keeps none.
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

    /// Whether somebody says of a device's token that it is dead, so that its app has to register again.
    var deniesTokens: Bool {
        self.acts.contains { if case .relayLies(.denies, _) = $0.what { true } else { false } }
    }
}
