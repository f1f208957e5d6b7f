internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of an app's registration for pushes, reached by public calls, with every input.
@Suite struct PushRegistrationMatrixTests {
    enum Start: CaseIterable {
        case off, restored, registering, crowded, registered

        /// Client 1 registered at second 0, and is notified of a failure at second 30.
        var machine: PushRegistration {
            var machine = PushRegistration(monitoring: self == .restored)
            switch self {
            case .off, .restored: break
            case .registering: _ = machine.requested(by: client, request: 1, until: second(30))
            case .crowded:
                for request in 1...UInt64(PushRegistration.waitersMax) {
                    _ = machine.requested(by: client, request: request, until: second(30))
                }
            case .registered:
                machine = Start.registering.machine
                _ = machine.tokenReceived(token)
            }
            return machine
        }
    }

    enum Input: CaseIterable {
        case requested, tokenReceived, failed, stopped, vanished, early, deadline

        func apply(to machine: inout PushRegistration) -> String {
            switch self {
            case .requested: words(machine.requested(by: ClientID(2), request: 9, until: second(40)))
            case .tokenReceived: "\(machine.tokenReceived([8]).count), "
            case .failed: "\(machine.failed().count), "
            case .stopped: words(machine.stopped())
            case .vanished: words(machine.vanished(client))
            case .early: "\(machine.deadlineReached(now: second(29)).count), "
            case .deadline: "\(machine.deadlineReached(now: second(30)).count), "
            }
        }
    }

    /// The outcomes of the inputs: the action, the state, and the number of waiting clients.
    private static let table = OutcomeTable<Start, Input>(
        """
                       off                      restored             registering          crowded                 registered
        requested      register, registering 1  wait, registering 1  wait, registering 2  refuse, registering 64  answer, registered 0
        tokenReceived  0, off 0                 0, registered 0      1, registered 0      64, registered 0        0, registered 0
        failed         0, off 0                 0, registering 0     1, registering 0     64, registering 0       0, registered 0
        stopped        ignore, off 0            unregister 0, off 0  unregister 1, off 0  unregister 64, off 0    unregister 0, off 0
        vanished       off 0                    registering 0        registering 0        registering 0           registered 0
        early          0, off 0                 0, registering 0     0, registering 1     0, registering 64       0, registered 0
        deadline       0, off 0                 0, registering 0     1, registering 0     64, registering 0       0, registered 0
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        var machine = start.machine
        #expect(try input.apply(to: &machine) + Self.state(of: machine) == Self.table[start, input])
        #expect(machine.hasWaiters == (machine.deadline != nil))
    }

    /// The start that equals a state, and its number of waiting clients; a new state has no start, so the test fails
    /// until it has a row.
    private static func state(of machine: PushRegistration) -> String {
        let start: Start =
            switch machine.state {
            case .off: .off
            case .registering: .registering
            case .registered: .registered
            }
        var copy = machine
        return "\(start) \(copy.failed().count)"
    }

    @Test func whoWaitsHearsOnceAndInOrder() {
        var machine = PushRegistration()
        play(
            """
            @0 request 1 -> register
            @5 request 2 -> wait
            @30 deadline -> failed(1)
            @31 request 3 -> wait
            @32 token 7 -> answered(2 3)
            @32 token 8 -> answered()
            @33 request 4 -> answer(8)
            @61 deadline -> failed()
            @62 stop -> unregister()
            @63 token 9 -> answered()
            @64 request 5 -> register
            @65 stop -> unregister(5)
            @66 stop -> ignore
            """
        ) { step, now in
            let number = step.count > 1 ? UInt64(step[1]) ?? 0 : 0
            switch step[0] {
            case "request":
                let outcome = machine.requested(by: client, request: number, until: now.advanced(by: .seconds(30)))
                if case .answer(let token) = outcome { return "answer(\(token[0]))" }
                return words(outcome).replacing(", ", with: "")
            case "token": return "answered(\(numbers(machine.tokenReceived([UInt8(number)]))))"
            case "deadline": return "failed(\(numbers(machine.deadlineReached(now: now))))"
            case "stop":
                if case .unregister(let waiters) = machine.stopped() { return "unregister(\(numbers(waiters)))" }
                return "ignore"
            default: return "no such step"
            }
        }
    }
}

private let client = ClientID(1)
private let token: [UInt8] = [7]

private func words(_ none: Void) -> String { "" }

private func numbers(_ waiters: [PushRegistration.Waiter]) -> String {
    waiters.map { "\($0.request)" }.joined(separator: " ")
}

private func words(_ outcome: PushRegistration.OnRequested) -> String {
    switch outcome {
    case .register: "register, "
    case .answer: "answer, "
    case .wait: "wait, "
    case .refuse: "refuse, "
    }
}

private func words(_ outcome: PushRegistration.OnStopped) -> String {
    switch outcome {
    case .unregister(let waiters): "unregister \(waiters.count), "
    case .ignore: "ignore, "
    }
}
