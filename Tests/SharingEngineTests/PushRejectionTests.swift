internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine

/// A server's reading of the answer to its push.
@Suite struct PushRejectionTests {
    /// Goal: a relay that sends nothing for a server's app does not have it forget every device that it knows.
    @Test(arguments: [RelayWord.notRelayed, .noSender, .notSealed, .named])
    func aRelaysRefusalEndsNoToken(_ word: RelayWord) {
        guard case .permanent(let reason) = PushRejection(.badDeviceToken, relay: word) else {
            Issue.record("the token would be forgotten, or the push sent again for ever")
            return
        }
        #expect(reason.hasPrefix("the relay "))
    }

    /// Goal: an operator's mistake, such as the wrong environment or a gateway that relays no more, pauses nobody's device.
    @Test(arguments: Reason.allCases, [nil, RelayWord.apple])
    func only410EndsAToken(_ reason: Reason, _ word: RelayWord?) {
        #expect((PushRejection(reason, relay: word) == .unregistered) == (reason.status == 410))
    }

    /// Goal: anyone who asks does not wait for a relay that takes nothing until midnight, for an hour, or until its vendor has a new key.
    @Test(arguments: [RelayWord.dayIsFull, .mistakes, .vendor])
    func aRelayThatTakesNoneForLongerThanARequestLastsIsNotAskedAgain(_ word: RelayWord) {
        let reason = word == .vendor ? Reason.internalServerError : .tooManyRequests
        guard case .notNow(let words) = PushRejection(reason, relay: word) else {
            Issue.record("the push would be sent again, and refused again")
            return
        }
        #expect(words.hasPrefix("the relay accepts no push now: "))
    }

    @Test(arguments: [RelayWord.unanswered, .unsent, .tooManyAtOnce, .unknown])
    func aRelayThatMaySendItLaterIsAskedAgain(_ word: RelayWord) {
        #expect(PushRejection(.tooManyRequests, relay: word) == .temporary("of the relay: \(word.rawValue)"))
    }

    @Test(arguments: Reason.allCases) func whatAppleSaysOverARelayIsApples(_ reason: Reason) {
        #expect(PushRejection(reason, relay: .apple) == PushRejection(reason))
    }
}
