internal import Foundation
internal import Synchronization
internal import WhereaboutsJSONReading
internal import WhereaboutsNetworkSupport
public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A live share, as seen by its follower.
public struct Watch: Sendable {
    /// The events of the live share; the last one is its end, or a final state of the request other than a position.
    public let updates: AsyncStream<FollowUpdate>
    private let stopping: Stopping

    /// Ends the live share; the stream ends once the server was notified, or cannot be reached.
    public func stop() { self.stopping.stop() }

    init(_ body: @escaping @Sendable (Stopping, @escaping @Sendable (FollowUpdate) -> Void) async -> Void) {
        let stopping = Stopping()
        self.stopping = stopping
        self.updates = AsyncStream { continuation in
            // Stop when the reader leaves.
            continuation.onTermination = { _ in stopping.stop() }
            Task {
                await body(stopping) { continuation.yield($0) }
                continuation.finish()
            }
        }
    }
}

/// Lets the follower end a live share at any time.
final class Stopping: Sendable {
    private struct State {
        var isStopped = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isStopped: Bool { self.state.withLock { $0.isStopped } }

    /// Calls `handler` when the follower stops, or at once if they have stopped; replaces an earlier handler.
    func whenStopped(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = self.state.withLock { state in
            state.handler = handler
            return state.isStopped
        }
        if isStopped { handler() }
    }

    func stop() {
        let handler = self.state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped ? nil : state.handler
        }
        handler?()
    }
}

extension Requester {
    /// Follows a sharer: asks once, and continues from the answer.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant, which must allow live shares.
    ///   - minutes: the length of the live share in minutes; 1 or more.
    ///   - precision: how exactly; nil for what the grant allows.
    ///   - suite: the algorithms that seal the answer and the updates.
    ///   - deadline: how long to wait for the first answer.
    ///   - explain: receives the reason, for a person who waits, when an attempt fails and is repeated.
    /// - Returns: the following.
    public func follow(
        _ grant: Signed<Grant>,
        minutes: UInt16,
        precision: Precision? = nil,
        suite: Suite = .xWing,
        deadline: Duration = .seconds(60),
        explain: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Watch {
        Watch { stopping, tell in
            do {
                var generator = SystemRandomNumberGenerator()
                let conversation = try Conversation(
                    profile: self.profile,
                    server: self.server,
                    sealing: self.sealing,
                    grant: grant,
                    precision: precision ?? grant.value.precision,
                    suite: suite,
                    followMinutes: minutes,
                    using: &generator
                )
                let asking = Task {
                    await conversation.run(patience: deadline, explain: { explain("\($0); trying again") }) {
                        tell(.request($0))
                    }
                }
                stopping.whenStopped { asking.cancel() }
                if await asking.value?.state.kind == .answered {
                    return await conversation.watch(stopping, explain: explain, tell)
                }
                if stopping.isStopped {
                    // The device may still answer, and would then share without a follower.
                    let isTold = await conversation.say(.byFollower)
                    let end = FollowUpdate.ended(.byFollower, FollowingEnd.Reason.byFollower.words)
                    tell(isTold ? end : end.unknownToTheServer)
                }
            } catch {
                let failed = RequestState(.failed, at: .now, reason: "The request could not be made: \(error)")
                tell(.request(RequestUpdate(state: failed, elapsed: .zero)))
            }
        }
    }
}

extension Conversation {
    /// Reads a live share's updates, from the first answer to the end.
    func watch(
        _ stopping: Stopping,
        explain: @escaping @Sendable (String) -> Void,
        _ tell: @Sendable (FollowUpdate) -> Void
    ) async {
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Watching.Input>()
        let feed = inputs.feed
        let reaching = Reaching(self.server.server, explain: explain)
        stopping.whenStopped { feed(.stopped) }
        var (end, last): (FollowingEnd.Reason?, FollowUpdate?)
        await withDiscardingTaskGroup { group in
            var (watching, effects) = Watching.began(self.signed.value, now: inputs.clock.now)
            while true {
                for effect in effects {
                    switch effect {
                    case .watch: group.addTask { feed(await self.updates(feed, reaching)) }
                    case .tell(let update): tell(update)
                    case .end(let update): last = update
                    case .post(let reason): end = reason
                    }
                }
                guard let deadline = watching.deadline else { break }
                guard let input = await inputs.next(deadline: deadline, timer: .deadlineReached, in: &group) else {
                    break
                }
                effects = watching.handle(input, now: inputs.clock.now.monotonic, using: &generator)
            }
            group.cancelAll()
        }
        var isTold = true
        if let end { isTold = await self.say(end) }
        if let last { tell(isTold ? last : last.unknownToTheServer) }
    }

    /// Signs and posts an end; the server detects a lost one by time.
    ///
    /// - Returns: whether the server has it.
    func say(_ reason: FollowingEnd.Reason, within patience: Duration = Attempts.patience) async -> Bool {
        let id = self.signed.value.id
        let end = FollowingEnd(request: id, author: self.profile.identity.publicIdentity, time: .now, reason: reason)
        guard let bytes = try? self.profile.identity.sign(end).bytes,
            let response = try? await self.server.post("/v1/requests/\(id)/end", bytes, within: patience)
        else { return false }
        return response.status < 500
    }

    private func updates(
        _ feed: @Sendable (Watching.Input) -> Void,
        _ reaching: Reaching
    ) async -> Watching.Input {
        do {
            let path = "/v1/requests/\(self.signed.value.id)/updates"
            let status = try await self.server.events(path, authorization: self.authorization) { json in
                reaching.reached()
                let event = try JSONReader().decode(Wire.Followed.self, from: Data(json))
                if let update = event.update.flatMap({ Base64URL.bytes(of: $0) }) { feed(self.opened(update)) }
                if let ended = event.ended { feed(try Self.ended(ended)) }
            }
            reaching.reached()
            return switch status {
            case 200, 503: .streamLost
            default: .streamRefused("The server does not show the live share (status \(status)).")
            }
        } catch {
            self.server.streamFailed(error, reaching)
            return .streamLost
        }
    }

    private func opened(_ update: [UInt8]) -> Watching.Input {
        do {
            let sealed = try Signed<SealedUpdate>(bytes: update).verified()
            let opened = try self.sealing.open(sealed.value.sealed, with: self.key, info: self.signed.followingInfo)
            return .opened(sealed, try FollowedUpdate(paddedBytes: opened))
        } catch let error as SharingError {
            return .unreadable(error)
        } catch {
            return .unreadable(SharingError(.cannotOpen, "An update could not be decrypted (\(error))."))
        }
    }

    private static func ended(_ ended: Wire.Ended) throws -> Watching.Input {
        if let statement = ended.statement.flatMap({ Base64URL.bytes(of: $0) }) {
            return .ended(try Signed<FollowingEnd>(bytes: statement).verified())
        }
        guard let reason = FollowingEnd.Reason(rawValue: ended.reason) else {
            throw SharingError(.badBytes, "the server ended the live share for an unknown reason")
        }
        return .closed(reason)
    }
}

extension FollowUpdate {
    /// The same end, with the warning that the sharer was not notified.
    fileprivate var unknownToTheServer: FollowUpdate {
        guard case .ended(let reason, let words) = self else { return self }
        let warning =
            "The server could not be reached to end the live share: their device may continue until its time is over."
        return .ended(reason, "\(words) \(warning)")
    }
}
