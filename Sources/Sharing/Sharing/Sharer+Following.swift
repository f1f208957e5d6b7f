internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharer's app during live shares.
extension Sharer {
    /// Sends followers the device's position, for as long as the app runs.
    ///
    /// An app calls this at every launch, also at one in the background; the device measures its position only while a follower exists:
    ///
    /// ```swift
    /// await sharer.beFollowed {
    ///     CLLocationUpdate.liveUpdates().compactMap { LivePlace($0) }
    /// }
    /// ```
    ///
    /// The profile is checked every second, and each grant before every update. An unreachable server ends no live share.
    ///
    /// - Parameters:
    ///   - places: starts the system's updates of the device's position.
    ///   - show: shows the person the followers, whenever they change.
    public func beFollowed<Places: AsyncSequence<LivePlace, any Error> & Sendable>(
        places: @Sendable () -> Places,
        show: @escaping @Sendable ([Follower]) -> Void = { _ in }
    ) async {
        repeat {
            if !self.profile.followers().isEmpty { await self.tellFollowers(places(), show: show) }
        } while (try? await Task.sleep(for: Following.look)) != nil
    }

    /// Sends followers the device's position, until no follower is left.
    package func tellFollowers(
        _ places: some AsyncSequence<LivePlace, any Error> & Sendable,
        show: @escaping @Sendable ([Follower]) -> Void = { _ in }
    ) async {
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Following.Input>()
        let feed = inputs.feed
        await withDiscardingTaskGroup { group in
            group.addTask { _ = try? await self.sayEnds() }
            group.addTask { await self.look(feed, show) }
            group.addTask {
                do {
                    for try await place in places { feed(.placed(place)) }
                    feed(.placed(.unknown("The location service ended its updates.")))
                } catch {
                    feed(.placed(.unknown("The location service failed: \(error)")))
                }
            }
            let records = self.profile.records()
            var following = Following()
            while following.state != .ended,
                let input = await inputs.next(deadline: following.deadline, timer: .deadlineReached, in: &group)
            {
                for effect in following.handle(input, records, now: inputs.clock.now, using: &generator) {
                    switch effect {
                    case .post(let update, let request):
                        group.addTask { feed(await self.shown(update, request)) }
                    case .end(let request, let reason):
                        // End the live share here at once, so that the next look at the profile does not find it.
                        if let end = try? self.profile.followings.end(request, reason, now: .now) {
                            group.addTask { try? await self.say(end, of: request) }
                        }
                    }
                }
            }
            group.cancelAll()
        }
        // Send the ends whose sending was cancelled when the last follower left.
        _ = try? await self.sayEnds()
        show([])
    }

    /// Ends a live share: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` when the server could not be notified; this device has ended it anyway.
    public func end(_ follower: Follower) async throws {
        guard
            let signed = self.profile.followings.followings(now: .now).first(where: {
                Follower($0.value) == follower
            })
        else {
            throw SharingError(.badText, "the live share of the request \(follower.request) has ended")
        }
        try await self.say(self.profile.followings.end(signed.value, .bySharer, now: .now), of: signed.value)
    }

    private func look(_ feed: @Sendable (Following.Input) -> Void, _ show: @Sendable ([Follower]) -> Void) async {
        var known: [Request: Following.Follower] = [:]
        var shown: [Follower]?
        repeat {
            let followings = self.profile.followings.followings(now: .now)
            var followers: [Following.Follower] = []
            for request in followings {
                // If the run cannot be counted, try again at the next look.
                guard
                    let follower = known[request.value]
                        ?? (try? self.profile.followings.nextRun(of: request.value)).map({
                            .init(request: request, run: $0)
                        })
                else { continue }
                known[request.value] = follower
                followers.append(follower)
            }
            let people = followings.map { Follower($0.value) }
            if people != shown { show(people) }
            shown = people
            feed(.looked(followers))
        } while (try? await Task.sleep(for: Following.look)) != nil
    }

    /// Seals, signs and posts an update.
    private func shown(_ update: FollowedUpdate, _ signed: Signed<Request>) async -> Following.Input {
        let request = signed.value
        do {
            let sealed = try self.sealing.seal(to: request.publicKey, suite: request.suite, info: signed.followingInfo)
            {
                update.paddedBytes
            }
            let value = SealedUpdate(request: request.id, sharer: self.profile.identity.publicIdentity, sealed: sealed)
            let bytes = try self.profile.identity.sign(value).bytes
            let path = "/v1/requests/\(request.id)/updates"
            let response = try await self.server.attempt(path, bytes, timeout: Attempts.attemptMax)
            switch response.status {
            case 200:
                let taken = try JSONReader().decode(Wire.UpdateTaken.self, from: Data(response.body))
                // Believe the server that the live share ended: a dishonest one could as well drop every update.
                if let ended = taken.ended {
                    self.profile.followings.concluded(
                        request,
                        FollowingEnd.Reason(rawValue: ended.reason) ?? .lost,
                        now: .now
                    )
                }
                return .posted(request, isWatched: taken.isWatched)
            case 404:
                self.profile.followings.concluded(request, .lost, now: .now)
                return .posted(request, isWatched: false)
            default: return .attemptFailed(request)
            }
        } catch {
            return .attemptFailed(request)
        }
    }

    /// Ends a schedule: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` when the server could not be notified; this device has ended it anyway.
    public func end(_ schedule: SharedSchedule) async throws {
        guard
            let signed = self.profile.followings.schedules(now: .now).first(where: {
                SharedSchedule($0.value) == schedule
            })
        else {
            throw SharingError(.badText, "the schedule of the request \(schedule.request) has ended")
        }
        try await self.say(self.profile.followings.end(signed.value, .bySharer, now: .now), of: signed.value)
    }

    /// Sends the server the ends that it has not confirmed.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``SharingError`` when the server cannot be notified now, either.
    @discardableResult public func sayEnds() async throws -> Int {
        let ends = self.profile.followings.unsaidEnds
        for (request, end) in ends { try await self.say(end, of: request) }
        return ends.count
    }

    private func say(_ end: Signed<FollowingEnd>, of request: Request) async throws {
        let response = try await self.server.post("/v1/requests/\(request.firstID)/end", end.bytes)
        // 404 means that the live share is over at the server, too.
        guard (200..<300).contains(response.status) || response.status == 404 else {
            throw self.server.rejected(response)
        }
        self.profile.followings.endSaid(of: request)
    }
}
