internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine

/// Tests for the server's reaction to a push service's answer.
@Suite struct PushRejectionTests {
    /// Goal: a relay that sends nothing for a server's app does not make the server delete its devices.
    @Test(arguments: [RelayWord.notRelayed, .noSender, .notSealed, .named])
    func aRelaysRefusalEndsNoToken(_ word: RelayWord) {
        guard case .permanent(let reason) = PushRejection(.badDeviceToken, relay: word) else {
            Issue.record("the token would be forgotten, or the push sent again for ever")
            return
        }
        #expect(reason.hasPrefix("the relay "))
    }

    /// Goal: an operator's mistake, such as a wrong environment or a gateway that no longer relays, pauses no device.
    @Test(arguments: Reason.allCases, [nil, RelayWord.apple])
    func only410EndsAToken(_ reason: Reason, _ word: RelayWord?) {
        #expect((PushRejection(reason, relay: word) == .unregistered) == (reason.status == 410))
    }

    /// Goal: a requester does not wait for a relay that accepts no pushes for an hour, until midnight, or until its
    /// vendor has a new key.
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
