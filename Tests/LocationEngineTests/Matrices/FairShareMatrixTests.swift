internal import OrderedCollections
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of an app's share of the reserve, reached by its own calls, with every input.
///
/// Two apps share a reserve of 60 pushes, one of which is restored every 6 min. A push is restored in 12 min, a share
/// is 30 pushes, and a used-up share opens again after an hour, when 10 pushes were restored.
@Suite struct FairShareMatrixTests {
    enum Start: CaseIterable {
        case open, owing, closed

        var machine: FairShare {
            var machine = FairShare(policy: Policy())
            let pushes =
                switch self {
                case .open: 0
                case .owing: 1
                case .closed: 30
                }
            for _ in 0..<pushes { _ = machine.spent(by: app, among: 2, now: second(0)) }
            return machine
        }
    }

    enum Input: CaseIterable {
        case spent, reserveFull, early, deadline, late

        func apply(to machine: inout FairShare) -> String {
            switch self {
            case .spent: machine.spent(by: app, among: 2, now: second(60)) ? "used up" : "spent"
            case .reserveFull: words(machine.settle(isReserveFull: true, now: second(60)))
            case .early: words(machine.settle(isReserveFull: false, now: second(3599)))
            case .deadline: words(machine.settle(isReserveFull: false, now: second(3600)))
            case .late: words(machine.settle(isReserveFull: false, now: second(21_600)))
            }
        }
    }

    /// The outcomes of the inputs: the result, the state, and the time at which everything is restored.
    private static let table = OutcomeTable<Start, Input>(
        """
                     open              owing              closed
        spent        spent, owing 780  spent, owing 1440  used up, closed 22320
        reserveFull  -, open           -, owing 720       opened, owing 21600
        early        -, open           -, open            -, closed 21600
        deadline     -, open           -, open            opened, owing 21600
        late         -, open           -, open            opened, open
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        var machine = start.machine
        let outcome = input.apply(to: &machine)
        #expect(try "\(outcome), \(Self.state(of: machine))" == Self.table[start, input])
        // The other app's share is unaffected, and each waiting app has a timer.
        #expect(machine.isOpen(for: BundleID("b")))
        #expect(machine.hasClosed == (machine.deadline != nil))
    }

    @Test func aRestartRemembersNoMoreThanAWholeShare() {
        var machine = FairShare(policy: Policy())
        machine.restore(app, owed: .seconds(1_000_000), isClosed: true, now: second(10))
        #expect(Self.state(of: machine) == "closed 21610")
        #expect(machine.deadline == second(3610))
        machine.restore(app, owed: .seconds(-5), isClosed: false, now: second(10))
        #expect(Self.state(of: machine) == "owing 10")
        #expect(machine.settle(isReserveFull: false, now: second(10)).isEmpty)
        #expect(Self.state(of: machine) == "open")
    }

    private static func state(of machine: FairShare) -> String {
        guard let account = machine.accounts[app] else { return "\(Start.open)" }
        let start = machine.isOpen(for: app) ? Start.owing : .closed
        return "\(start) \(account.settled.sinceStart.components.seconds)"
    }
}

private let app = BundleID("a")

private func words(_ opened: [BundleID]) -> String {
    switch opened {
    case []: "-"
    case [app]: "opened"
    default: "opened others"
    }
}
