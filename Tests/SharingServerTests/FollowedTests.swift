internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// Tests for live sharing over real TLS, from the request to an end of each kind.
struct FollowedTests {
    private let town: Town
    private let limits = GrantLimits(followMinutesMax: 60)

    init() throws {
        self.town = try Town()
    }

    /// A sharer's device that received a live-share request and whose app continues it while `body` runs.
    private func withFollowing<Value: Sendable>(
        handsOver: Bool = true,
        _ body: @escaping @Sendable (Sharer, Watch, Signed<Grant>, Places) async throws -> Value
    ) async throws -> Value {
        let (town, limits) = (self.town, self.limits)
        return try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port, limits: limits)
            let places = Places()
            async let device: Void = {
                try await sharer.respond(to: town.received(by: sharer), handsOver: handsOver) { try Town.measure() }
                if !sharer.profile.followers().isEmpty { await sharer.followerMessages.tell(places.stream) }
            }()
            let watch = requester.follow(grant, minutes: 30, suite: .x25519)
            let value = try await body(sharer, watch, grant, places)
            try await device
            return value
        }
    }

    @Test func whoFollowsSeesEachMoveAndTheEnd() async throws {
        let (updates, files) = try await self.withFollowing { sharer, watch, _, places in
            var updates: [FollowUpdate] = []
            for await update in watch.updates {
                updates.append(update)
                switch update {
                case .request(let state) where state.state.kind == .answered: places.move(to: 1)
                case .place(.moving, _, _):
                    if updates.places.count == 1 {
                        places.rest(at: 2)
                    } else {
                        Issue.record("the device rests")
                    }
                case .place(.still, _, _):
                    let followers = sharer.profile.followers()
                    #expect(followers.count == 1 && followers[0].precision == .full)
                    try await sharer.end(#require(followers.first))
                default: break
                }
            }
            return (updates, try FileManager.default.contentsOfDirectory(atPath: sharer.profile.path + "/followings"))
        }
        #expect(updates.places.map { $0.fix?.latitude } == [53, 54])
        #expect(updates.last == .ended(.bySharer, FollowingEnd.Reason.bySharer.words))
        // The server was notified, and there is nothing left to report.
        #expect(files.isEmpty)
        #expect(self.town.push.attempts == 1)
    }

    @Test func aFollowerWhoHasSeenEnoughEndsItOnTheDevice() async throws {
        let last = try await self.withFollowing { _, watch, _, places in
            var last: FollowUpdate?
            for await update in watch.updates {
                last = update
                switch update {
                case .request(let state) where state.state.kind == .answered: places.move(to: 1)
                case .place: watch.stop()
                default: break
                }
            }
            // The server was notified, and the device is told with its next update.
            places.move(to: 2)
            return last
        }
        #expect(last == .ended(.byFollower, FollowingEnd.Reason.byFollower.words))
    }

    @Test func aRevocationEndsIt() async throws {
        let last = try await self.withFollowing { sharer, watch, grant, places in
            var last: FollowUpdate?
            for await update in watch.updates {
                last = update
                switch update {
                case .request(let state) where state.state.kind == .answered: places.move(to: 1)
                case .place:
                    try await sharer.revoke(grant)
                    places.move(to: 2)
                default: break
                }
            }
            return last
        }
        // The device's end or the server's, whichever came first.
        guard case .ended(.revoked, _) = last else { throw TownError() }
    }

    @Test func aDeviceThatMayNotTellAnyMoreSaysSo() async throws {
        let last = try await self.withFollowing { _, watch, _, places in
            var last: FollowUpdate?
            for await update in watch.updates {
                last = update
                if case .request(let state) = update, state.state.kind == .answered { places.deny() }
            }
            return last
        }
        #expect(last == .ended(.paused, FollowingEnd.Reason.paused.words))
    }

    /// Goal: without an app that continues the live share, a follower learns why, and gets no position.
    @Test func anAppThatCannotBeFollowedRefuses() async throws {
        let updates = try await self.withFollowing(handsOver: false) { _, watch, _, _ in
            var updates: [FollowUpdate] = []
            for await update in watch.updates { updates.append(update) }
            return updates
        }
        guard case .request(let last) = updates.last else { throw TownError() }
        #expect(last.state.kind == .refused && last.state.reason == Refusal.cannotBeFollowed.reason)
    }

    @Test func aGrantForSingleAnswersIsNotFollowedUnder() async throws {
        let town = self.town
        let last = try await town.withServer { port in
            let (_, requester, grant) = try await town.people(port: port)
            var last: FollowUpdate?
            for await update in requester.follow(grant, minutes: 30).updates { last = update }
            return last
        }
        guard case .request(let ended) = last else { throw TownError() }
        #expect(ended.state.kind == .refused && ended.state.reason == Refusal.followingNotGranted.reason)
        #expect(town.push.attempts == 0)
    }

    /// Goal: a server that dies forgets no end.
    @Test func aServerThatDiesForgetsNoEnd() async throws {
        let id = try await self.withFollowing { sharer, watch, _, places in
            var id: RequestID?
            for await update in watch.updates {
                switch update {
                case .request(let state) where state.state.kind == .answered: places.move(to: 1)
                case .place:
                    let follower = try #require(sharer.profile.followers().first)
                    id = follower.request
                    try await sharer.end(follower)
                default: break
                }
            }
            return try #require(id)
        }
        let store = try SQLiteStore(path: self.town.path("server.sqlite"), policy: SharingPolicy())
        let record = try #require(try await store.read { try $0.following(id) })
        let end = try #require(record.end)
        #expect(end.reason == .bySharer)
        #expect(try Signed<FollowingEnd>(bytes: end.statement).verified().value.isOf(record.request.value))
    }

    /// Goal: an end that could not reach the server takes effect on the device at once, and is reported when the server
    /// is back.
    @Test func anEndIsSaidToAServerThatComesBack() async throws {
        let (town, limits) = (self.town, self.limits)
        let (port, sharer, watching) = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port, limits: limits)
            let watch = requester.follow(grant, minutes: 30, suite: .x25519)
            let (answers, answered) = AsyncStream.makeStream(of: Void.self)
            let watching = Task {
                var last: FollowUpdate?
                for await update in watch.updates {
                    last = update
                    if case .request(let state) = update, state.state.kind == .answered { answered.yield() }
                }
                return last
            }
            try await sharer.respond(to: town.received(by: sharer), handsOver: true) { try Town.measure() }
            for await _ in answers { break }
            return (port, sharer, watching)
        }
        let follower = try #require(sharer.profile.followers().first)
        await #expect(throws: SharingError.self) { try await sharer.end(follower) }
        #expect(sharer.profile.followers().isEmpty && sharer.profile.followings.unsaidEnds.count == 1)
        let last = try await town.withServer(port: port) { _ in
            await sharer.followerMessages.tell(Places().stream)
            #expect(sharer.profile.followings.unsaidEnds.isEmpty)
            return await watching.value
        }
        #expect(last == .ended(.bySharer, FollowingEnd.Reason.bySharer.words))
    }
}

/// A device's positions, as set by a test.
struct Places: Sendable {
    let stream: AsyncThrowingStream<LivePlace, any Error>
    private let continuation: AsyncThrowingStream<LivePlace, any Error>.Continuation

    init() {
        (self.stream, self.continuation) = AsyncThrowingStream.makeStream(of: LivePlace.self)
    }

    /// The device is this many degrees north of Berlin, and moves.
    func move(to degrees: Double) { self.place(degrees, isStationary: false) }

    /// The device stands still there.
    func rest(at degrees: Double) { self.place(degrees, isStationary: true) }

    func deny() { self.continuation.yield(.denied) }

    private func place(_ degrees: Double, isStationary: Bool) {
        do {
            let fix = try SharedFix(latitude: 52 + degrees, longitude: 13, horizontalAccuracy: 5, time: .now)
            self.continuation.yield(.fix(fix, isStationary: isStationary))
        } catch {
            Issue.record(error)
        }
    }
}

extension [FollowUpdate] {
    fileprivate var places: [FollowedPlace] {
        self.compactMap { update in if case .place(let place, _, _) = update { place } else { nil } }
    }
}
