internal import APNS
internal import SharingEngine
internal import Testing

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

    @Test(arguments: [RelayWord.vendor, .unanswered, .dayIsFull, .tooManyAtOnce, .mistakes, .unknown])
    func aRelayThatMaySendItLaterIsAskedAgain(_ word: RelayWord) {
        #expect(PushRejection(.tooManyRequests, relay: word) == .temporary("of the relay: \(word.rawValue)"))
    }

    @Test(arguments: Reason.allCases) func whatAppleSaysOverARelayIsApples(_ reason: Reason) {
        #expect(PushRejection(reason, relay: .apple) == PushRejection(reason))
    }
}
