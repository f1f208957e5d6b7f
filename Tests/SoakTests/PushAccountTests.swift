internal import Testing

@testable internal import soak

/// Goal: the account that judges a soak test finds each way in which a push can fail.
@Suite struct PushAccountTests {
    /// Checks the account of a sequence of accepted pushes.
    private func taken(_ numbers: Int..., brief: Set<Int> = []) -> PushAccount {
        var account = PushAccount()
        for number in numbers {
            account.began(number, isBrief: brief.contains(number))
            account.ended(number, .accepted(apnsID: "\(number)"))
        }
        return account
    }

    @Test func whatComesOnceIsWell() {
        var account = self.taken(1, 2)
        account.received(1)
        account.received(2)
        #expect(account.verdict == .init(accepted: 2, delivered: 2))
        #expect(account.isSettled && account.unexplained.isEmpty)
    }

    @Test func theLastOneIsLostUnlessItComes() {
        var account = self.taken(1, 2)
        account.received(1)
        #expect(account.verdict.lost == [2] && !account.isSettled)
    }

    @Test func aLaterOneTakesTheEarliersPlace() {
        var account = self.taken(1, 2)
        account.received(2)
        #expect(account.verdict == .init(accepted: 2, delivered: 1, replaced: 1))
        account.said("replaced", of: 1)
        #expect(account.verdict == .init(accepted: 2, delivered: 1, replaced: 1, told: 1))
    }

    /// Goal: a later push does not hide a loss if the gateway says that the device received the earlier one.
    @Test func whatTheGatewaySaysTheDeviceHasIsLost() {
        var account = self.taken(1, 2)
        account.received(2)
        account.said("acknowledged", of: 1)
        #expect(account.verdict.lost == [1])
    }

    @Test func oneThatMayHaveBeenTakenReplaces() {
        var account = self.taken(1)
        account.began(2, isBrief: false)
        account.ended(2, .unknown)
        #expect(account.verdict == .init(accepted: 1, replaced: 1))
        var refused = self.taken(1)
        refused.began(2, isBrief: false)
        refused.ended(2, .refused)
        #expect(refused.verdict.lost == [1])
    }

    @Test func aBriefOneExpires() {
        let account = self.taken(1, brief: [1])
        #expect(account.verdict == .init(accepted: 1, expired: 1))
    }

    @Test func twiceIsTooOftenUnlessTheDeviceDiedMeanwhile() {
        var account = self.taken(1, 2)
        account.received(1)
        account.received(1)
        account.received(2)
        account.died()
        account.received(2)
        #expect(account.verdict == .init(accepted: 2, delivered: 2, again: 1, repeated: [1]))
    }

    @Test func whatNobodySentIsNothing() {
        var account = self.taken(1)
        account.received(1)
        account.received(7)
        #expect(account.verdict == .init(accepted: 1, delivered: 1))
    }
}
