internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Performs the decisions of ``Asking`` about one request: posts it, reads the states, opens the answer, reports.
struct Conversation: Sendable {
    let profile: SharingProfile
    let server: ServerConnection
    let sealing: any Sealing
    let signed: Signed<Request>
    let key: RequestKey
    /// The value of the header `authorization`: a signed permit to read the states and updates.
    let authorization: String

    /// Makes and signs a request.
    ///
    /// - Throws: when no key can be made.
    init(
        profile: SharingProfile,
        server: ServerConnection,
        sealing: any Sealing,
        grant: Signed<Grant>,
        precision: Precision,
        suite: Suite,
        followMinutes: UInt16? = nil,
        repetition: Repetition? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let key = try sealing.makeKey(suite: suite)
        let request = Request(
            under: grant,
            precision: precision,
            suite: suite,
            publicKey: key.publicKey,
            followMinutes: followMinutes,
            repetition: repetition,
            using: &generator,
            now: .now
        )
        let permit = ReadPermit(request: request.id, requester: profile.identity.publicIdentity)
        self.profile = profile
        self.server = server
        self.sealing = sealing
        self.signed = try profile.identity.sign(request)
        self.key = key
        self.authorization = "Whereabouts \(Base64URL.text(of: try profile.identity.sign(permit).bytes))"
    }

    /// Asks until the final state was reported, or the task is cancelled.
    ///
    /// - Returns: the final state; nil when there is none.
    @discardableResult func run(
        patience: Duration,
        explain: @Sendable (String) -> Void,
        _ tell: @Sendable (RequestUpdate) -> Void
    ) async -> RequestUpdate? {
        var last: RequestUpdate?
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Asking.Input>()
        let feed = inputs.feed
        await withDiscardingTaskGroup { group in
            var (asking, effects) = Asking.began(
                self.signed.value,
                server: self.profile.settings.server,
                patience: patience,
                now: inputs.clock.now.monotonic
            )
            while true {
                for effect in effects {
                    switch effect {
                    case .post(let timeout): group.addTask { feed(await self.post(timeout: timeout)) }
                    case .follow: group.addTask { feed(await self.follow(feed)) }
                    case .open(let answer): feed(self.open(answer))
                    case .explain(let why): explain(why)
                    case .tell(let update): tell(update)
                    case .end(let update):
                        last = update
                        tell(update)
                    }
                }
                guard let deadline = asking.deadline else { break }
                guard let input = await inputs.next(deadline: deadline, timer: .deadlineReached, in: &group) else {
                    break
                }
                effects = asking.handle(input, now: inputs.clock.now, using: &generator)
            }
            group.cancelAll()
        }
        return last
    }

    private func post(timeout: Duration) async -> Asking.Input {
        do {
            let response = try await self.server.attempt("/v1/requests", self.signed.postedBytes, timeout: timeout)
            if response.status == 202 { return .replied(.accepted) }
            let why = self.server.rejected(response).message
            return switch response.status {
            case 403: .replied(.refused(why, rule: self.server.rule(response), serverTime: response.date))
            case 429: .replied(.tooSoon(why, until: self.server.until(response)))
            case 500..<600: .replied(.busy(why))
            default: .replied(.rejected(why))
            }
        } catch {
            let failure = ConnectionFailure(request: error)
            let why = self.server.unreachable(failure).message
            // Another attempt would meet the same certificate.
            return failure == .untrusted ? .replied(.rejected(why)) : .attemptFailed(why)
        }
    }

    private func follow(_ feed: @Sendable (Asking.Input) -> Void) async -> Asking.Input {
        do {
            var count = 0
            let path = "/v1/requests/\(self.signed.value.id)/events"
            let status = try await self.server.events(path, authorization: self.authorization) { json in
                let event = try JSONReader().decode(Wire.State.self, from: Data(json))
                guard let state = event.state else { return }
                count += 1
                // A server sends each state once on a stream; a misbehaving one could fill the memory.
                guard count <= RequestState.Kind.allCases.count else { throw CancellationError() }
                feed(.told(state, answer: event.answer.flatMap { Base64URL.bytes(of: $0) }))
            }
            return switch status {
            case 200, 503: .streamLost
            default: .streamRefused("The server does not show the request's states (status \(status)).")
            }
        } catch {
            return .streamLost
        }
    }

    private func open(_ answer: [UInt8]) -> Asking.Input {
        do {
            let sealed = try Signed<SealedAnswer>(bytes: answer).verified()
            let opened = try self.sealing.open(sealed.value.sealed, with: self.key, info: self.signed.info)
            return .opened(sealed, try Answer(paddedBytes: opened))
        } catch let error as SharingError {
            return .unreadable(error)
        } catch {
            return .unreadable(SharingError(.cannotOpen, "The answer could not be decrypted (\(error)); ask again."))
        }
    }
}
