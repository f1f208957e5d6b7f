internal import OrderedCollections
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Every state of a push that is being written to disk, reached by public calls, with every input.
///
/// The text of a state has the number of pushes that are being written, the number that wait, and the second of the
/// next attempt.
@Suite struct PushKeepingMatrixTests {
    enum Start: CaseIterable {
        case empty, keeping, ordered, waiting, retrying, crowded

        /// Push 1 came at second 0, from the gateway or by order 5.
        var machine: PushKeeping {
            var machine = PushKeeping()
            switch self {
            case .empty: break
            case .keeping: _ = machine.arrived(push(1), .gateway)
            case .ordered: _ = machine.arrived(push(1), .owner(OrderID(5)))
            case .waiting:
                machine = Start.keeping.machine
                _ = machine.refused(id(1), now: second(0))
            case .retrying:
                machine = Start.waiting.machine
                _ = machine.deadlineReached(now: second(2))
            case .crowded:
                for number in 0..<UInt64(PushKeeping.waitingMax) {
                    _ = machine.arrived(push(100 + number), .gateway)
                    _ = machine.refused(id(100 + number), now: second(0))
                }
                _ = machine.arrived(push(1), .gateway)
            }
            return machine
        }

        /// The outcomes of the inputs, in the order of ``Input``: the action, and the state.
        var row: [String] {
            switch self {
            case .empty:
                [
                    "keep, 1/0/-", "keep, 1/0/-", "keep, 1/0/-", "unknown, 0/0/-", "unknown, 0/0/-",
                    "nobody, 0/0/-", "again 0, 0/0/-", "again 0, 0/0/-",
                ]
            case .keeping:
                [
                    "ignore, 1/0/-", "ignore, 1/0/-", "keep, 2/0/-", "gateway, 0/0/-", "unknown, 1/0/-",
                    "nobody, 0/1/12", "again 0, 1/0/-", "again 0, 1/0/-",
                ]
            case .ordered:
                [
                    "ignore, 1/0/-", "ignore, 1/0/-", "keep, 2/0/-", "order 5, 0/0/-", "unknown, 1/0/-",
                    "order 5, 0/0/-", "again 0, 1/0/-", "again 0, 1/0/-",
                ]
            case .waiting:
                [
                    "ignore, 0/1/2", "ignore, 0/1/2", "keep, 1/1/2", "unknown, 0/1/2", "unknown, 0/1/2",
                    "nobody, 0/1/2", "again 0, 0/1/2", "again 1, 1/0/-",
                ]
            case .retrying:
                [
                    "ignore, 1/0/-", "ignore, 1/0/-", "keep, 2/0/-", "gateway, 0/0/-", "unknown, 1/0/-",
                    "nobody, 0/1/12", "again 0, 1/0/-", "again 0, 1/0/-",
                ]
            case .crowded:
                [
                    "ignore, 1/16/2", "ignore, 1/16/2", "keep, 2/16/2", "gateway, 0/16/2", "unknown, 1/16/2",
                    "nobody, 0/16/2", "again 0, 1/16/2", "again 16, 17/0/-",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case arrived, ordered, otherArrived, kept, strangerKept, refused, early, late

        func apply(to machine: inout PushKeeping) -> String {
            switch self {
            case .arrived: words(machine.arrived(push(1), .gateway))
            case .ordered: words(machine.arrived(push(1), .owner(OrderID(7))))
            case .otherArrived: words(machine.arrived(push(2), .gateway))
            case .kept: words(machine.kept(id(1)))
            case .strangerKept: words(machine.kept(id(3)))
            case .refused: machine.refused(id(1), now: second(10)).map { "order \($0.rawValue), " } ?? "nobody, "
            case .early: "again \(machine.deadlineReached(now: second(1)).count), "
            case .late: "again \(machine.deadlineReached(now: second(100)).count), "
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var machine = start.machine
        #expect(input.apply(to: &machine) + Self.state(of: machine) == start.row[input.rawValue])
    }

    /// Goal: waiting pushes are tried again in their order of arrival, as pushes from the gateway.
    @Test func whatWaitedIsTriedInItsOrder() {
        var machine = Start.crowded.machine
        let again = machine.deadlineReached(now: second(2))
        #expect(again.map(\.id) == (0..<16).map { id(100 + $0) })
        #expect(again.allSatisfy { machine.keeping[$0.id]?.origin == .gateway })
    }

    private static func state(of machine: PushKeeping) -> String {
        let deadline = machine.deadline.map { "\($0.sinceStart.components.seconds)" } ?? "-"
        return "\(machine.keeping.count)/\(machine.waiting.count)/\(deadline)"
    }
}

private func id(_ number: UInt64) -> PushID { PushID(high: 8, low: number) }

private func push(_ number: UInt64) -> Push {
    Push(id: id(number), bundle: BundleID("a"), payload: [], expiration: nil, received: second(0))
}

private func words(_ isNew: Bool) -> String { isNew ? "keep, " : "ignore, " }

private func words(_ arrival: PushKeeping.Arrival?) -> String {
    switch arrival?.origin {
    case .gateway: "gateway, "
    case .owner(let order): "order \(order.rawValue), "
    case nil: "unknown, "
    }
}
