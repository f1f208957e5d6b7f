internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for pushes that wait for a process: every kind of queue with every input.
///
/// The text of a queue has its pushes, the second at which the extension must be started, and the second of the first
/// expiration.
@Suite struct PushQueueMatrixTests {
    enum Start: CaseIterable {
        case empty, passive, considerate, immediate, mixed

        /// Pushes that came at second 0 and expire at 1000, all with the collapse id `c`.
        var queue: PushQueue {
            var queue = PushQueue(policy: Policy())
            let pushes: [(UInt64, Push.Priority)] =
                switch self {
                case .empty: []
                case .passive: [(1, .passive)]
                case .considerate: [(2, .considerate)]
                case .immediate: [(3, .immediate)]
                case .mixed: [(1, .passive), (2, .considerate), (3, .immediate), (4, .passive)]
                }
            for (number, priority) in pushes {
                queue.append(made(number, priority, at: 0, expires: 1000), now: moment(0))
            }
            return queue
        }
    }

    enum Input: CaseIterable {
        case immediate, considerate, passive, undated, collapse, otherCollapse
        case displaceImmediate, displaceConsiderate, displacePassive, urgent, all, early, late

        func apply(to queue: inout PushQueue) -> String {
            switch self {
            case .immediate: queue.append(made(9, .immediate, at: 10, expires: 110), now: moment(10))
            case .considerate: queue.append(made(9, .considerate, at: 10, expires: 110), now: moment(10))
            case .passive: queue.append(made(9, .passive, at: 10, expires: 110), now: moment(10))
            case .undated: queue.append(made(9, .considerate, at: 10, expires: nil), now: moment(10))
            case .collapse: return words(queue.collapse("c"))
            case .otherCollapse: return words(queue.collapse("d"))
            case .displaceImmediate: return words(queue.displace(for: .immediate))
            case .displaceConsiderate: return words(queue.displace(for: .considerate))
            case .displacePassive: return words(queue.displace(for: .passive))
            case .urgent: return words(queue.takeUrgent())
            case .all: return words(queue.takeAll())
            case .early: return words(queue.takeExpired(now: second(999)))
            case .late: return words(queue.takeExpired(now: second(1000)))
            }
            return ""
        }
    }

    /// The outcomes of the inputs: the removed pushes, and the queue.
    private static let table = OutcomeTable<Start, Input>(
        """
                             empty        passive         considerate       immediate       mixed
        immediate            9|10|110     1 9|10|110      2 9|10|110        3 9|0|110       1 2 3 4 9|0|110
        considerate          9|80|110     1 9|80|110      2 9|80|110        3 9|0|110       1 2 3 4 9|0|110
        passive              9|-|110      1 9|-|110       2 9|600|110       3 9|0|110       1 2 3 4 9|0|110
        undated              9|40|70      1 9|40|70       2 9|40|70         3 9|0|70        1 2 3 4 9|0|70
        collapse             none, -|-|-  1, -|-|-        2, -|-|-          3, -|-|-        1, 2 3 4|0|1000
        otherCollapse        none, -|-|-  none, 1|-|1000  none, 2|600|1000  none, 3|0|1000  none, 1 2 3 4|0|1000
        displaceImmediate    none, -|-|-  1, -|-|-        2, -|-|-          none, 3|0|1000  1, 2 3 4|0|1000
        displaceConsiderate  none, -|-|-  1, -|-|-        none, 2|600|1000  none, 3|0|1000  1, 2 3 4|0|1000
        displacePassive      none, -|-|-  none, 1|-|1000  none, 2|600|1000  none, 3|0|1000  none, 1 2 3 4|0|1000
        urgent               none, -|-|-  none, 1|-|1000  none, 2|600|1000  3, -|-|-        3, 1 2 4|600|1000
        all                  none, -|-|-  1, -|-|-        2, -|-|-          3, -|-|-        1 2 3 4, -|-|-
        early                none, -|-|-  none, 1|-|1000  none, 2|600|1000  none, 3|0|1000  none, 1 2 3 4|0|1000
        late                 none, -|-|-  1, -|-|-        2, -|-|-          3, -|-|-        1 2 3 4, -|-|-
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        var queue = start.queue
        #expect(try input.apply(to: &queue) + Self.state(of: queue) == Self.table[start, input])
    }

    private static func state(of queue: PushQueue) -> String {
        var copy = queue
        let pushes = copy.takeAll()
        #expect(queue.count == pushes.count && queue.isEmpty == pushes.isEmpty)
        #expect(pushes.allSatisfy { queue.contains($0.id) })
        let numbers = pushes.isEmpty ? "-" : pushes.map { "\($0.id.low)" }.joined(separator: " ")
        return "\(numbers)|\(word(queue.wakes))|\(word(queue.expires))"
    }
}

private func moment(_ seconds: Int) -> Now {
    Now(monotonic: second(seconds), wall: WallTime(seconds: 43_200 + Int64(seconds)))
}

private func made(_ number: UInt64, _ priority: Push.Priority, at received: Int, expires: Int?) -> Push {
    Push(
        id: PushID(high: 8, low: number),
        bundle: BundleID("a"),
        payload: [],
        priority: priority,
        collapseID: "c",
        expiration: expires.map { moment($0).wall },
        received: second(received)
    )
}

private func words(_ push: PushID?) -> String { push.map { "\($0.low), " } ?? "none, " }

private func words(_ pushes: [Push]) -> String {
    pushes.isEmpty ? "none, " : pushes.map { "\($0.id.low)" }.joined(separator: " ") + ", "
}

private func word(_ instant: EngineInstant?) -> String { instant.map { "\($0.sinceStart.components.seconds)" } ?? "-" }
