internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the answers that a device remembers.
struct GivenAnswersTests {
    /// Longer than a request can stay valid: 10 min, and 2 min of clock skew.
    private static let kept = 720

    private func request(_ number: Int, under grant: Int = 1, issued: WallTime = noon) throws -> Request {
        let like = try makeRequest().value
        let terms = like.grant.value
        return Request(
            id: RequestID(high: 0, low: UInt64(number)),
            grant: Signed(
                value: Grant(
                    id: GrantID(high: 0, low: UInt64(grant)),
                    sharer: terms.sharer,
                    requester: terms.requester,
                    precision: terms.precision,
                    notBefore: terms.notBefore,
                    notAfter: terms.notAfter,
                    intervalMin: 0
                ),
                signature: []
            ),
            precision: like.precision,
            suite: like.suite,
            publicKey: [],
            issued: issued,
            expires: like.expires
        )
    }

    private func answered(
        _ answers: inout GivenAnswers,
        _ number: Int,
        under grant: Int = 1,
        at seconds: Int = 0
    ) throws -> GivenAnswers.OnReceived {
        let request = try self.request(number, under: grant)
        return answers.answered(
            request,
            try digest(of: request),
            [UInt8(truncatingIfNeeded: number)],
            policy: SharingPolicy(),
            now: after(seconds)
        )
    }

    private func received(
        _ answers: GivenAnswers,
        _ number: Int,
        at seconds: Int = 0
    ) throws -> GivenAnswers.OnReceived {
        let request = try self.request(number)
        return answers.received(request, try digest(of: request), policy: SharingPolicy(), now: after(seconds))
    }

    @Test func requestIsAnsweredOnce() throws {
        var answers = GivenAnswers()
        #expect(try self.received(answers, 1) == .answer)
        // Delivered but not answered: a device died in between.
        #expect(try self.received(answers, 1) == .answer)
        #expect(try self.answered(&answers, 1) == .answer)
        answers.delivered(try digest(of: self.request(1)))
        #expect(try self.received(answers, 1) == .replayed)
        #expect(try self.answered(&answers, 1) == .replayed)
        #expect(answers.entries.map(\.request) == [try self.request(1).id])
    }

    /// Goal: a requester who reuses an ID gets the answer to the new bytes, and no answer to the earlier ones.
    @Test func theSameIDWithOtherBytesIsAnotherRequest() throws {
        var answers = GivenAnswers()
        #expect(try self.answered(&answers, 1) == .answer)
        let again = try self.request(1, issued: after(1))
        let digest = try digest(of: again)
        #expect(answers.received(again, digest, policy: SharingPolicy(), now: after(1)) == .answer)
        #expect(answers.answered(again, digest, [9], policy: SharingPolicy(), now: after(1)) == .answer)
        #expect(answers.received(again, digest, policy: SharingPolicy(), now: after(1)) == .deliver([9]))
        answers.delivered(digest)
        #expect(answers.received(again, digest, policy: SharingPolicy(), now: after(1)) == .replayed)
        #expect(try self.received(answers, 1) == .deliver([1]))
    }

    /// Goal: a server that delivers a request twice gets the same bytes, not a second position.
    @Test func answerThatWasNotDeliveredIsTheAnswer() throws {
        var answers = GivenAnswers()
        #expect(try self.answered(&answers, 1) == .answer)
        #expect(try self.received(answers, 1, at: 60) == .deliver([1]))
        #expect(try self.answered(&answers, 1, at: 60) == .deliver([1]))
        #expect(try self.answered(&answers, 2, at: 61) == .answer)
        #expect(answers.undelivered.map(\.answer) == [[1], [2]])
        answers.delivered(try digest(of: self.request(1)))
        #expect(answers.undelivered.map(\.answer) == [[2]])
    }

    @Test func oldOnesAreForgotten() throws {
        var answers = GivenAnswers()
        _ = try self.answered(&answers, 1)
        _ = try self.answered(&answers, 2, at: Self.kept)
        #expect(answers.entries.count == 2)
        _ = try self.answered(&answers, 3, at: Self.kept + 1)
        #expect(try answers.entries.map(\.request) == [self.request(2).id, self.request(3).id])
    }

    /// Goal: a clock that was a year ahead does not fill the list for a year.
    @Test func onesFromAClockThatWasSetBackAreForgotten() throws {
        var answers = GivenAnswers()
        _ = try self.answered(&answers, 1, at: 365 * 86_400)
        _ = try self.answered(&answers, 2, at: Self.kept)
        _ = try self.answered(&answers, 3)
        #expect(try answers.entries.map(\.request) == [self.request(2).id, self.request(3).id])
    }

    /// Goal: a friend who asks too often does not block others.
    @Test func numberIsBoundedForEachGrant() throws {
        var answers = GivenAnswers()
        for number in 0..<GivenAnswers.ofGrantMax { _ = try self.answered(&answers, number) }
        #expect(try self.answered(&answers, 9001, at: Self.kept) == .grantFull)
        #expect(try self.received(answers, 9001, at: Self.kept) == .grantFull)
        #expect(try self.received(answers, 0, at: Self.kept) != .grantFull)
        #expect(try self.answered(&answers, 9002, under: 2, at: Self.kept) == .answer)
        #expect(try self.answered(&answers, 9001, at: Self.kept + 1) == .answer)
        #expect(answers.entries.count == 2)
    }

    @Test func numberIsBoundedForAll() throws {
        let full = GivenAnswers(
            restoring: try (0..<GivenAnswers.countMax).map { number in
                GivenAnswers.Entry(
                    request: RequestID(high: 1, low: UInt64(number)),
                    digest: try digest(of: self.request(number + 2)),
                    grant: GrantID(high: 1, low: UInt64(number)),
                    time: noon,
                    undelivered: nil
                )
            }
        )
        #expect(try self.received(full, 1, at: Self.kept) == .full)
        #expect(try self.received(full, 1, at: Self.kept + 1) == .answer)
    }

    @Test func bytesOfTheOldestAreDropped() throws {
        var answers = GivenAnswers()
        for number in 0...GivenAnswers.undeliveredMax { _ = try self.answered(&answers, number) }
        #expect(answers.undelivered.count == GivenAnswers.undeliveredMax)
        #expect(answers.undelivered.first?.answer == [1])
        // Its bytes are deleted, but no second answer is given.
        #expect(try self.received(answers, 0) == .replayed)
    }

    @Test func whatIsRestoredIsWhatWasKept() throws {
        var answers = GivenAnswers()
        let request = try self.request(1)
        _ = answers.answered(
            request,
            try digest(of: request),
            [7],
            policy: SharingPolicy(),
            now: WallTime(microseconds: 1_234_567)
        )
        #expect(answers.entries.map(\.time) == [WallTime(milliseconds: 1234)])
        #expect(GivenAnswers(restoring: answers.entries) == answers)
    }
}
