internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for one connection: every state, reached by public calls, with every input.
struct ConnectionLifeTests {
    enum Start: CaseIterable {
        case handshaking, waiting, reading, replied, answering, both, ended

        /// The connection at second 1.
        var life: ConnectionLife {
            var life = ConnectionLife(now: at(0))
            guard self != .handshaking else { return life }
            if self == .ended {
                _ = life.deadlineReached(now: at(10))
                return life
            }
            life.handshakeCompleted(now: at(1))
            guard self != .waiting else { return life }
            life.headReceived(now: at(1))
            guard self != .reading else { return life }
            if self == .replied {
                life.replied(now: at(1))
                return life
            }
            life.requestReceived(now: at(1))
            if self == .both { life.headReceived(now: at(1)) }
            return life
        }
    }

    enum Input: CaseIterable {
        case handshake, head, request, reply
    }

    private static func at(_ second: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(second)) }

    private static func expected(_ start: Start, _ input: Input) -> ConnectionLife.State {
        switch (start, input) {
        case (.handshaking, .handshake): .waiting(until: self.at(32))
        case (.handshaking, .head), (.waiting, .head): .reading(until: self.at(12), unanswered: 0)
        case (.reading, .request): .answering(unanswered: 1)
        case (.both, .request): .answering(unanswered: 2)
        case (.reading, .reply): .reading(until: self.at(11), unanswered: -1)
        case (.replied, .request): .waiting(until: self.at(32))
        case (.both, .reply): .reading(until: self.at(11), unanswered: 0)
        case (.answering, .head): .reading(until: self.at(12), unanswered: 1)
        case (.answering, .reply): .waiting(until: self.at(32))
        case (.replied, .reply): .reading(until: self.at(11), unanswered: -2)
        case (.handshaking, _), (.waiting, _), (.reading, _), (.replied, _), (.answering, _), (.both, _), (.ended, _):
            start.life.state
        }
    }

    @Test(arguments: Start.allCases, Input.allCases) func matrix(start: Start, input: Input) {
        var life = start.life
        switch input {
        case .handshake: life.handshakeCompleted(now: Self.at(2))
        case .head: life.headReceived(now: Self.at(2))
        case .request: life.requestReceived(now: Self.at(2))
        case .reply: life.replied(now: Self.at(2))
        }
        #expect(life.state == Self.expected(start, input))
    }

    /// Goal: the connection closes if the client sends nothing, or without end.
    ///
    /// It stays open while the client waits for the server.
    @Test(arguments: Start.allCases) func deadlinesEndWhatIsLate(start: Start) {
        var life = start.life
        guard let deadline = life.deadline else {
            #expect(start == .answering || start == .ended)
            #expect(life.deadlineReached(now: Self.at(10_000)) == .ignore)
            return
        }
        #expect(life.deadlineReached(now: deadline.advanced(by: .milliseconds(-1))) == .ignore)
        #expect(life.deadlineReached(now: deadline) == .close)
        #expect(life.state == .ended)
    }
}

private func at(_ second: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(second)) }
