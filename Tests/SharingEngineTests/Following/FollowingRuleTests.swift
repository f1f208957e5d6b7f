internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the rules of live sharing: who may start it, for how long, and who may end it.
struct FollowingRuleTests {
    private func refusal(_ minutes: UInt16, of minutesMax: UInt16?) throws -> Refusal? {
        let request = try makeRequest(followMinutesMax: minutesMax, followMinutes: minutes).value
        return request.refusal(isRevoked: false, policy: SharingPolicy(), now: after(1))
    }

    @Test func onlyAGrantThatAllowsItIsFollowedUnder() throws {
        #expect(try self.refusal(1, of: nil) == .followingNotGranted)
        #expect(try self.refusal(60, of: 60) == nil)
        #expect(try self.refusal(61, of: 60) == .followingTooLong)
        // A single request is accepted under each.
        let single = try makeRequest(followMinutesMax: 60).value
        #expect(single.refusal(isRevoked: false, policy: SharingPolicy(), now: after(1)) == nil)
    }

    @Test func aFollowingEndsWithItsGrant() throws {
        let request = try makeRequest(until: after(600), followMinutesMax: 60, followMinutes: 60).value
        #expect(request.followingEnd == after(600))
        #expect(request.followingFault(isRevoked: false, now: after(599)) == nil)
        #expect(request.followingFault(isRevoked: false, now: after(600)) == .time)
        #expect(request.followingFault(isRevoked: true, now: after(1)) == .revoked)
        #expect(request.followingFault(isRevoked: false, now: noon) == nil)
        #expect(request.followingFault(isRevoked: false, now: after(-1)) == .time)
        #expect(try makeRequest().value.followingFault(isRevoked: false, now: after(1)) == .time)
    }

    /// Goal: if no app continues a live share, the follower is told so, but never before the person decided.
    @Test(arguments: [Refusal.cannotBeFollowed, .tooManyFollowers])
    func aDeviceThatCannotBeFollowedSaysSo(_ refusal: Refusal) throws {
        let records = ModelRecords()
        records.refuseFollowing(refusal)
        let content = Answer.Content.unavailable("no sky")
        func permitted(_ request: Verified<Request>, isConsented: Bool) throws -> Answer.Content {
            let receipt = try #require(try Self.receipt(of: request, records))
            return try receipt.permitted(
                content,
                isConsented: isConsented,
                records,
                policy: SharingPolicy(),
                now: after(1)
            )
        }
        let follows = try makeRequest(2, asksPerson: true, followMinutesMax: 60, followMinutes: 60)
        #expect(try permitted(follows, isConsented: false) == .refusal(.notConsented))
        records.leave(try digest(of: follows.value))
        #expect(try permitted(follows, isConsented: true) == .refusal(refusal))
        #expect(try permitted(makeRequest(3), isConsented: false) == content)
        records.leave(try digest(of: follows.value))
        records.refuseFollowing(nil)
        #expect(try permitted(follows, isConsented: true) == content)
    }

    private static func receipt(of request: Verified<Request>, _ records: ModelRecords) throws -> Receipt? {
        let decided = try Receipt.requestReceived(
            request,
            by: request.value.grant.value.sharer,
            records,
            policy: SharingPolicy(),
            now: after(1)
        )
        return if case .answer(let receipt) = decided { receipt } else { nil }
    }

    @Test func eachSideSpeaksForItself() throws {
        let request = try makeRequest(followMinutesMax: 60, followMinutes: 60).value
        let (sharer, follower) = (request.grant.value.sharer, request.grant.value.requester)
        for reason in FollowingEnd.Reason.allCases {
            let isFollowers = reason == .byFollower || reason == .lost
            for author in [sharer, follower] {
                let end = FollowingEnd(request: request.id, author: author, time: noon, reason: reason)
                #expect(end.isOf(request) == (isFollowers == (author == follower)), "\(reason)")
                #expect(!end.isOf(try makeRequest(9).value))
            }
        }
    }

    @Test func numbersCountWhatIsMissing() {
        typealias Number = FollowedUpdate.Number
        #expect(Number(run: 1, count: 3).missed(after: Number(run: 1, count: 2)) == 0)
        #expect(Number(run: 1, count: 9).missed(after: Number(run: 1, count: 2)) == 6)
        #expect(Number(run: 2, count: 0).missed(after: Number(run: 1, count: 2)) == 0)
        #expect(Number(run: 2, count: 4).missed(after: Number(run: 1, count: 2)) == 4)
        #expect(Number(run: 1, count: 4).missed(after: nil) == 4)
        #expect(Number(run: 1, count: .max) < Number(run: 2, count: 0))
    }
}
