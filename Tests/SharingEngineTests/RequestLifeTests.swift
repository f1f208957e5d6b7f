internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Every state, reached by public calls, with every input.
struct RequestLifeTests {
    enum Start: CaseIterable {
        case waiting, accepted, pushed, woken, locating, asking, answered, unreachable, expired, failed

        func life() throws -> RequestLife {
            var life = try acceptedLife()
            switch self {
            case .waiting: return try waitingLife()
            case .accepted: break
            case .pushed: _ = life.pushAccepted(now: noon)
            case .woken:
                _ = life.pushAccepted(now: noon)
                _ = life.deviceReported(.woken, now: noon)
            case .locating:
                _ = life.pushAccepted(now: noon)
                _ = life.deviceReported(.locating, now: noon)
            case .asking:
                _ = life.pushAccepted(now: noon)
                _ = life.deviceReported(.asking, now: noon)
            case .answered: _ = life.answerReceived([1], now: noon)
            case .unreachable: _ = life.pushRejected(.unregistered, now: noon)
            case .expired: _ = life.deadlineReached(now: after(120))
            case .failed: _ = life.pushRejected(.permanent("BadTopic"), now: noon)
            }
            return life
        }
    }

    enum Input: CaseIterable {
        case pushAccepted, unregistered, tokenRefused, notNow, temporary, permanent, woken, locating, asking, answer,
            early,
            push, allowance
        case expiry

        func apply(to life: inout RequestLife) -> [RequestLife.Effect] {
            switch self {
            case .pushAccepted: life.pushAccepted(now: after(1))
            case .unregistered: life.pushRejected(.unregistered, now: after(1))
            case .tokenRefused: life.pushRejected(.tokenRefused(.badDeviceToken), now: after(1))
            case .notNow: life.pushRejected(.notNow("the relay accepts no push now"), now: after(1))
            case .temporary: life.pushRejected(.temporary("TooManyRequests"), now: after(1))
            case .permanent: life.pushRejected(.permanent("BadTopic"), now: after(1))
            case .woken: life.deviceReported(.woken, now: after(1))
            case .locating: life.deviceReported(.locating, now: after(1))
            case .asking: life.deviceReported(.asking, now: after(1))
            case .answer: life.answerReceived([1], now: after(1))
            case .early: life.deadlineReached(now: after(4))
            case .push: life.deadlineReached(now: after(5))
            case .allowance: life.deadlineReached(now: after(30))
            case .expiry: life.deadlineReached(now: after(120))
            }
        }
    }

    /// The last state that the requester sees; `push` stands for another push.
    private static func expected(_ start: Start, _ input: Input) -> String {
        switch (start, input) {
        case (.answered, _): "answered"
        case (.unreachable, _): "unreachable"
        case (.expired, _): "expired"
        case (.failed, _): "failed"
        case (_, .answer): "answered"
        case (_, .expiry): "expired"
        case (.asking, .allowance): "failed"
        case (.asking, _), (.waiting, .asking), (.accepted, .asking), (.pushed, .asking), (.woken, .asking): "asking"
        case (.accepted, .pushAccepted): "pushed"
        case (.accepted, .unregistered), (.accepted, .tokenRefused), (.accepted, .notNow): "unreachable"
        case (.accepted, .permanent): "failed"
        case (.accepted, .temporary), (.accepted, .early): "accepted"
        case (.accepted, .push): "accepted push"
        case (.accepted, .allowance): "unreachable"
        // At 20 s after noon it gets its own push.
        case (.waiting, .allowance): "accepted push"
        case (.waiting, .woken), (.accepted, .woken), (.pushed, .woken): "woken"
        case (_, .locating): "locating"
        case (.waiting, _): "accepted"
        case (.pushed, .allowance): "unreachable"
        case (.pushed, _): "pushed"
        case (.woken, .allowance), (.locating, .allowance): "failed"
        case (.woken, _): "woken"
        case (.locating, _): "locating"
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(start: Start, input: Input) throws {
        let before = try start.life()
        var life = before
        let effects = input.apply(to: &life)
        let last = try #require(life.history.last)
        let resent = effects.contains(.sendPush) ? " push" : ""
        #expect(last.kind.rawValue + resent == Self.expected(start, input))

        // Each new entry of the history is announced exactly once.
        let announced = effects.compactMap { effect in
            if case .announce(let state) = effect { state } else { nil }
        }
        #expect(announced == Array(life.history.dropFirst(before.history.count)))
        #expect(Set(life.history.map(\.kind)).count == life.history.count)
        // Every state that is not final has a deadline, and a final one never changes.
        #expect((life.deadline == nil) == last.kind.isFinal)
        if before.deadline == nil { #expect(life == before && effects.isEmpty) }
        #expect(effects.contains(.storeAnswer([1])) == (before.deadline != nil && input == .answer))
        #expect(effects.contains(.pauseDevice) == (start == .accepted && input == .unregistered))
        #expect(!last.reason.isEmpty)
    }

    /// Goal: time alone leads every state to its end.
    ///
    /// Method: the host's timer fires at each deadline.
    @Test(arguments: Start.allCases)
    func deadlinesLeadToExactlyOneFinalState(start: Start) throws {
        var life = try start.life()
        var count = 0
        while let deadline = life.deadline {
            _ = life.deadlineReached(now: deadline)
            count += 1
            try #require(count < 20)
        }
        #expect(life.history.filter(\.kind.isFinal).count == 1)
    }

    @Test func pushIsSentAgainUntilTheAllowanceEnds() throws {
        var life = try acceptedLife()
        var pushes = 0
        while let deadline = life.deadline {
            pushes += life.deadlineReached(now: deadline).count { $0 == .sendPush }
        }
        #expect(pushes == 5)
        #expect(life.history.map(\.kind) == [.accepted, .unreachable])
    }

    @Test func requestThatExpiresBeforeTheAllowanceIsExpired() throws {
        let request = try makeRequest(expires: after(10))
        let decision = RequestLife.requestVerified(
            request,
            precedents: precedents(),
            policy: SharingPolicy(),
            now: noon
        )
        guard case .accept(var life, _, _) = decision else { throw FixtureError() }
        _ = life.pushAccepted(now: after(1))
        #expect(life.deadline == after(10))
        _ = life.deadlineReached(now: after(10))
        #expect(life.state == .expired)
    }

    /// Goal: a requester who waits for another request's push receives the same as one with a push, and nothing twice.
    @Test func theWaitForAnotherPushIsNotTold() throws {
        var life = try waitingLife()
        #expect(life.wakeAccepted(now: after(1)).count == 1 && life.wakeAccepted(now: after(2)).isEmpty)
        #expect(life.deadlineReached(now: after(20)) == [.payPush(after(20)), .sendPush])
        #expect(life.pushAccepted(now: after(21)).isEmpty)
        #expect(life.state == .pushed(giveUp: after(51)))
        #expect(life.history.map(\.kind) == [.accepted, .pushed])
    }

    /// Goal: a wait that is extended repeatedly has an end.
    @Test func theWaitForOtherPushesEnds() throws {
        var life = try waitingLife()
        while let deadline = life.deadline {
            #expect(life.deadlineReached(wakeEnd: deadline.advanced(by: .seconds(10)), now: deadline).count < 2)
        }
        #expect(life.history.map(\.kind) == [.accepted, .unreachable])
        #expect(life.history.last?.time == after(50))
    }

    /// Goal: a person gets the full time for an answer, however late the device was woken.
    @Test func theTimeOfAQuestionBeginsWithIt() throws {
        var life = try Start.woken.life()
        _ = life.deviceReported(.asking, now: after(25))
        #expect(life.deadline == after(55))
        #expect(life.answerReceived([1], now: after(50)).count == 2)
    }

    @Test func lateAnswerIsNotStored() throws {
        var life = try Start.failed.life()
        #expect(life.answerReceived([1], now: after(2)).isEmpty)
    }
}
