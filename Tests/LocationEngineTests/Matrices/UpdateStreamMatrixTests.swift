internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of a stream, reached by public calls, with every offer.
@Suite struct UpdateStreamMatrixTests {
    enum Start: CaseIterable {
        case fresh, delivering, blocked, paused, over

        /// A stream of live updates; `over` is a finished request for one position.
        var machine: UpdateStream {
            var machine = UpdateStream()
            switch self {
            case .fresh: break
            case .delivering: _ = machine.offered(.measured(.fix(here)), to: live)
            case .blocked: _ = machine.offered(.reasons(.locationUnavailable), to: live)
            case .paused: _ = machine.offered(.still(.fix(here)), to: live)
            case .over: _ = machine.offered(.measured(.fix(here)), to: once)
            }
            return machine
        }
    }

    enum Input: CaseIterable {
        case nothing, sameReasons, otherReasons, question, samePosition, position, samePlace, place, still, doubtful

        var offer: UpdateStream.Offer {
            switch self {
            case .nothing: .nothing
            case .sameReasons: .reasons(.locationUnavailable)
            case .otherReasons: .reasons([.authorizationDenied, .authorizationDeniedGlobally])
            case .question: .reasons(.authorizationRequestInProgress)
            case .samePosition: .measured(.fix(here))
            case .position: .measured(.fix(fix(1)))
            case .samePlace: .approximate(here)
            case .place: .approximate(fix(1))
            case .still: .still(.fix(here))
            case .doubtful: .doubtful(.fix(fix(1)))
            }
        }
    }

    /// The outcomes of the offers, for live updates.
    private static let table = OutcomeTable<Start, Input>(
        """
                      fresh                    delivering               blocked                  paused                   over
        nothing       -, fresh                 -, delivering            -, blocked               -, paused                -, over
        sameReasons   reasons, blocked         reasons, blocked         -, blocked               reasons, blocked         -, over
        otherReasons  reasons, blocked         reasons, blocked         reasons, blocked         reasons, blocked         -, over
        question      reasons, blocked         reasons, blocked         reasons, blocked         reasons, blocked         -, over
        samePosition  position, delivering     -, delivering            position, delivering     position, delivering     -, over
        position      position, delivering     position, delivering     position, delivering     position, delivering     -, over
        samePlace     approximate, delivering  -, delivering            approximate, delivering  approximate, delivering  -, over
        place         approximate, delivering  approximate, delivering  approximate, delivering  approximate, delivering  -, over
        still         still, paused            still, paused            still, paused            -, paused                -, over
        doubtful      position, delivering     position, delivering     position, delivering     -, paused                -, over
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        var machine = start.machine
        let service = start == .over ? once : live
        let outcome = words(machine.offered(input.offer, to: service), input.offer)
        #expect(try "\(outcome), \(Self.start(of: machine))" == Self.table[start, input])
        // An element is not repeated.
        #expect(machine.offered(input.offer, to: service) == .ignore)
        #expect(machine.isServed == [.delivering, .paused].contains(Self.start(of: machine)))
    }

    /// Goal: a request for one position gets one element of any kind, except the notice that a prompt is shown.
    @Test(arguments: Input.allCases) func oneElementIsAll(_ input: Input) {
        var machine = UpdateStream()
        let waits = input == .nothing || input == .question
        #expect((machine.offered(input.offer, to: once) == .ignore) == waits)
        #expect(machine.isOver == !waits)
        for next in Input.allCases where machine.isOver {
            #expect(machine.offered(next.offer, to: once) == .ignore)
        }
    }

    /// The start that equals a state; a new state has no start, so the test fails until it has a row.
    private static func start(of machine: UpdateStream) -> Start {
        switch machine.state {
        case .fresh: .fresh
        case .delivering: .delivering
        case .blocked: .blocked
        case .paused: .paused
        case .over: .over
        }
    }

    /// A distance filter of 10 m, and a manager's pause, which is the end; a ten-millionth of a degree of latitude is 11.1 mm.
    @Test func theDistanceFilterCountsFromTheLastPositionGiven() {
        var machine = UpdateStream()
        let filtered = Service.standard(StandardOptions(distanceFilter: 10_000)).traits
        play(
            """
            @0 fix 0 -> position
            @1 fix 890 -> -
            @2 fix -890 -> -
            @3 fix 910 -> position
            @4 fix 20 -> -
            @5 precise 20 -> position
            @6 precise 30 -> -
            @7 lost -> reasons
            @8 fix 50 -> position
            @9 still 60 -> still
            @10 fix 5000 -> -
            @11 lost -> -
            """
        ) { step, _ in
            let offset = step.count > 1 ? Int32(step[1]) ?? 0 : 0
            let offer: UpdateStream.Offer =
                switch step[0] {
                case "fix": .measured(.fix(fix(offset)))
                case "precise": .measured(.fix(fix(offset, accuracy: 1000)))
                case "still": .still(.fix(fix(offset)))
                default: .reasons(.locationUnavailable)
                }
            return words(machine.offered(offer, to: filtered), offer)
        }
    }
}

private let live = Service.live(.default).traits
private let once = Service.once(desiredAccuracy: 0).traits
private let here = fix(0)

/// A position that many ten-millionths of a degree north of the first.
private func fix(_ offset: Int32, accuracy: Int32 = 5000) -> Fix {
    Fix(
        latitude: 425_000_000 + offset,
        longitude: 14_000_000,
        horizontalAccuracy: accuracy,
        time: WallTime(seconds: 0),
        arrival: second(0)
    )
}

/// The kind of the element, which must be the offered one; `-` for none.
private func words(_ outcome: UpdateStream.OnOffer, _ offer: UpdateStream.Offer) -> String {
    guard case .send(let update) = outcome else { return "-" }
    let (due, word): (Update?, String) =
        switch offer {
        case .nothing: (nil, "")
        case .reasons(let reasons): (.unavailable(reasons), "reasons")
        case .measured(let element): (.measured(element), "position")
        case .approximate(let fix): (.fix(fix, .accuracyLimited), "approximate")
        case .still(let element): (.measured(element, .stationary), "still")
        case .doubtful(let element): (.measured(element), "position")
        }
    return update == due ? word : "another element"
}
