internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The updates of live shares, and the ends of live shares and schedules, as the server receives them.
package struct FollowerMessages: Sendable {
    let server: ServerConnection
    let identity: Identity
    let sealing: any Sealing
    let records: AnswerRecords

    private var files: FollowingFiles { self.records.followings }

    /// Sends followers the device's position, until no follower is left.
    package func tell(
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
            var following = Following()
            while following.state != .ended,
                let input = await inputs.next(deadline: following.deadline, timer: .deadlineReached, in: &group)
            {
                for effect in following.handle(input, self.records, now: inputs.clock.now, using: &generator) {
                    switch effect {
                    case .post(let update, let request):
                        group.addTask { feed(await self.shown(update, request)) }
                    case .end(let request, let reason):
                        // End the live share here at once, so that the next look at the profile does not find it.
                        if let end = try? self.files.end(request, reason, now: .now) {
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

    private func look(_ feed: @Sendable (Following.Input) -> Void, _ show: @Sendable ([Follower]) -> Void) async {
        var known: [Request: Following.Follower] = [:]
        var shown: [Follower]?
        repeat {
            let followings = self.files.followings(now: .now)
            var followers: [Following.Follower] = []
            for request in followings {
                // If the run cannot be counted, try again at the next look.
                guard
                    let follower = known[request.value]
                        ?? (try? self.files.nextRun(of: request.value)).map({ .init(request: request, run: $0) })
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
            let value = SealedUpdate(request: request.id, sharer: self.identity.publicIdentity, sealed: sealed)
            let path = "/v1/requests/\(request.id)/updates"
            let bytes = try self.identity.sign(value).bytes
            let response = try await self.server.attempt(path, bytes, timeout: Attempts.attemptMax)
            switch response.status {
            case 200:
                let taken = try JSONReader().decode(Wire.UpdateTaken.self, from: Data(response.body))
                // Believe the server that the live share ended: a dishonest one could as well drop every update.
                if let ended = taken.ended {
                    self.files.concluded(request, FollowingEnd.Reason(rawValue: ended.reason) ?? .lost, now: .now)
                }
                return .posted(request, isWatched: taken.isWatched)
            case 404:
                self.files.concluded(request, .lost, now: .now)
                return .posted(request, isWatched: false)
            default: return .attemptFailed(request)
            }
        } catch {
            return .attemptFailed(request)
        }
    }

    // MARK: Ends

    /// Ends a live share or a schedule: on this device at once, then on the server.
    func end(_ request: Request) async throws {
        try await self.say(self.files.end(request, .bySharer, now: .now), of: request)
    }

    /// Ends the schedules under a revoked grant on this device.
    func endSchedules(under grant: GrantID) {
        for schedule in self.files.schedules(now: .now) where schedule.value.grant.value.id == grant {
            _ = try? self.files.end(schedule.value, .revoked, now: .now)
        }
    }

    /// Sends the server the ends that it has not confirmed, and returns how many there were.
    func sayEnds() async throws -> Int {
        let ends = self.files.unsaidEnds
        for (request, end) in ends { try await self.say(end, of: request) }
        return ends.count
    }

    private func say(_ end: Signed<FollowingEnd>, of request: Request) async throws {
        // 404 means that the live share is over at the server, too.
        try self.server.accepted(await self.server.post("/v1/requests/\(request.firstID)/end", end.bytes), or: 404)
        self.files.endSaid(of: request)
    }
}
