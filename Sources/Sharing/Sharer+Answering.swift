internal import Connecting
internal import JSONReading
internal import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A sharer's device, as it receives requests and answers them.
extension Sharer {
    /// Reads a request out of a location push, checks it, and claims it for this process.
    ///
    /// - Parameters:
    ///   - pushPayload: as the extension got it.
    ///   - pushAge: how long ago the device received the push; zero when unknown.
    /// - Returns: the request, with the verdict on it.
    /// - Throws: ``SharingError`` when it must not be answered at all: malformed, sealed to another device, forged, another's, or answered before.
    public func receive(pushPayload: [String: Any], pushAge: Duration = .zero) throws -> IncomingRequest {
        let started = ContinuousClock.now
        let request = try self.home.request(in: pushPayload, self.sealing).verified()
        return try self.receive(request, received: started - pushAge, started: started)
    }

    private func receive(
        _ request: Verified<Request>,
        received: ContinuousClock.Instant,
        started: ContinuousClock.Instant
    ) throws -> IncomingRequest {
        let sharer = self.home.identity.publicIdentity
        switch try Receipt.requestReceived(request, by: sharer, self.home, policy: self.policy, now: .now) {
        case .answer(let receipt): return IncomingRequest(receipt: receipt, received: received, started: started)
        case .drop(let error): throw error
        }
    }

    /// Tells the requester how far the device is.
    public func report(_ progress: DeviceProgress, for incoming: IncomingRequest) async throws {
        _ = try await self.report(progress, for: incoming.receipt)
    }

    /// Returns whether the server says that the request has ended.
    private func report(_ progress: DeviceProgress, for receipt: Receipt) async throws -> Bool {
        let id = receipt.request.id
        let report = DeviceReport(request: id, sharer: self.home.identity.publicIdentity, progress: progress)
        let body = try await self.post("/v1/requests/\(id)/progress", report)
        return (try? JSONReader().decode(Wire.Over.self, from: Data(body))) != nil
    }

    /// Seals and posts an answer, after the grant was checked once more.
    ///
    /// - Parameters:
    ///   - incoming: the request.
    ///   - content: the answer; an answer that was given before and not delivered takes its place.
    ///   - isConsented: whether the person said yes to this very request; without it, a grant that asks them gets a refusal.
    /// - Returns: the other requests that wait for this device, to be answered too.
    /// - Throws: ``SharingError`` when there is no answer, or it could not be delivered.
    public func answer(
        _ incoming: IncomingRequest,
        _ content: Answer.Content,
        isConsented: Bool = false
    ) async throws -> [IncomingRequest] {
        let id = incoming.request.id
        defer { self.home.leave(id) }
        let answer = GivenAnswers.Undelivered(
            request: id,
            grant: incoming.request.grant.value.id,
            answer: try incoming.receipt.kept ?? self.given(content, isConsented: isConsented, incoming)
        )
        let response = try await self.server.post(Self.path(of: id), answer.answer)
        guard response.status == 200 else { throw self.server.rejected(response) }
        let delivery = try Self.delivery(response.body)
        self.home.ended(answer, delivery.tooLate == nil ? .delivered : .declined, now: .now)
        if let error = delivery.tooLate { throw error }
        let now = ContinuousClock.now
        // A request that cannot be received here (answered before, malformed) is left to its own push or its deadline.
        return delivery.pending.compactMap { try? self.receive($0, received: now, started: now) }
    }

    /// Seals an answer and keeps it.
    private func given(_ content: Answer.Content, isConsented: Bool, _ incoming: IncomingRequest) throws -> [UInt8] {
        let permitted = try incoming.receipt.permitted(
            content,
            isConsented: isConsented,
            self.home,
            policy: self.policy,
            now: .now
        )
        let answer = try self.sealed(permitted, incoming)
        switch try self.home.answered(incoming.request, answer, saying: permitted, policy: self.policy, now: .now) {
        case .answer: return answer
        case .deliver(let kept): return kept
        case .replayed: throw Receipt.replayed(incoming.request.id)
        case .grantFull, .full: throw Receipt.tooMany
        }
    }

    /// Answers a request, and those that wait behind it, with one measurement.
    ///
    /// The requester is told that the device heard of the request, and later that it is measuring, only when that takes longer
    /// (``Answering``); otherwise the answer's own timings tell it, and the whole exchange is one connection and one request.
    ///
    /// - Parameters:
    ///   - incoming: the request that the push carried.
    ///   - patience: how long the process may answer; 25 s of the 30 s that an extension has, if not given.
    ///   - handsOver: whether the app takes a following over (``Sharer/beFollowed``); without, whoever wants to follow is refused.
    ///   - prompt: shows the person a question, when a grant wants their word: a notification, say, that opens the app; the app says what they
    ///     answer with ``SharingHome/answer(_:isAllowed:)``.
    ///   - measure: gets a fix; an error it throws becomes the reason why there is none.
    /// - Throws: ``SharingError`` when an answer could not be delivered.
    public func respond(
        to incoming: IncomingRequest,
        within patience: Duration? = nil,
        handsOver: Bool = false,
        prompt: @escaping @Sendable (Question) -> Void = { _ in },
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Answering.Input>()
        let feed = inputs.feed
        var failure: (any Error)?
        var device = self.home
        device.handsOver = handsOver
        // Those whose answer is a position, of a following or a timer: they begin once that is kept.
        var followings: [RequestID: Signed<Request>] = [:]
        await withDiscardingTaskGroup { group in
            var (answering, effects) = Answering.began(
                incoming.receipt,
                device,
                policy: self.policy,
                patience: patience ?? Answering.patience,
                now: inputs.clock.now
            )
            while true {
                for effect in effects {
                    switch effect {
                    case .measure: group.addTask { feed(.measured(await Self.measured(measure))) }
                    case .report(let progress, let receipt):
                        group.addTask {
                            guard (try? await self.report(progress, for: receipt)) == true else { return }
                            feed(.requestEnded(receipt.request.id))
                        }
                    case .withdraw(let request): self.home.withdrawQuestion(request)
                    case .ask(let receipt, let time):
                        let question = Question(receipt.request, until: WallTime.now.advanced(by: time))
                        group.addTask {
                            guard let isAllowed = await self.home.word(on: question, within: time, prompt) else {
                                return
                            }
                            feed(.consented(question.request, isAllowed: isAllowed))
                        }
                    case .seal(let content, let receipt):
                        if case .fix = content, receipt.request.begins {
                            followings[receipt.request.id] = receipt.signed
                        }
                        feed(self.sealed(content, receipt, incoming))
                    case .post(let answer, let timeout):
                        if let following = followings.removeValue(forKey: answer.request) {
                            // The answer leaves all the same: whoever asked sees that nothing follows it.
                            try? device.begin(following)
                        }
                        group.addTask { feed(await self.post(answer, timeout: timeout)) }
                    case .end(let error): failure = error
                    }
                }
                if answering.state == .ended { break }
                guard let input = await inputs.next(deadline: answering.deadline, timer: .deadlineReached, in: &group)
                else {
                    failure = CancellationError()
                    answering.abandoned(device)
                    break
                }
                effects = answering.handle(input, device, now: inputs.clock.now, using: &generator)
            }
            group.cancelAll()
        }
        if let failure { throw failure }
    }

    private static func measured(_ measure: @Sendable () async throws -> SharedFix) async -> Answer.Content {
        do {
            return .fix(try await measure())
        } catch {
            return .unavailable("The device has no position: \(error)")
        }
    }

    private func sealed(
        _ content: Answer.Content,
        _ receipt: Receipt,
        _ incoming: IncomingRequest
    ) -> Answering.Input {
        do {
            if receipt == incoming.receipt { return .sealed(try self.sealed(content, incoming)) }
            // It came with the reply to the answer before, and the fix was there already.
            let now = ContinuousClock.now
            return .sealed(
                try self.sealed(content, IncomingRequest(receipt: receipt, received: now, started: now))
            )
        } catch {
            return .unsealable(
                SharingError(.cannotOpen, "the answer cannot be sealed (\(error)); ask for a new request")
            )
        }
    }

    /// A signed answer: its bytes.
    private func sealed(_ content: Answer.Content, _ incoming: IncomingRequest) throws -> [UInt8] {
        let (request, fixed) = (incoming.request, ContinuousClock.now)
        let info = incoming.receipt.signed.info
        let sealed = try self.sealing.seal(to: request.publicKey, suite: request.suite, info: info) {
            let timings = DeviceTimings(
                started: incoming.started - incoming.received,
                fix: fixed - incoming.received,
                sealed: ContinuousClock.now - incoming.received
            )
            return Answer(content: content, timings: timings).paddedBytes
        }
        let answer = SealedAnswer(request: request.id, sharer: self.home.identity.publicIdentity, sealed: sealed)
        return try self.home.identity.sign(answer).bytes
    }

    private func post(_ outgoing: GivenAnswers.Undelivered, timeout: Duration) async -> Answering.Input {
        do {
            let path = Self.path(of: outgoing.request)
            let response = try await self.server.attempt(path, outgoing.answer, timeout: timeout)
            switch response.status {
            case 200:
                let delivery = try Self.delivery(response.body)
                return delivery.tooLate.map { .came(tooLate: $0, pending: delivery.pending) }
                    ?? .delivered(pending: delivery.pending)
            case 500..<600: return .attemptFailed(self.server.rejected(response))
            default: return .rejected(self.server.rejected(response))
            }
        } catch {
            return .attemptFailed(self.server.unreachable(ConnectionFailure(request: error)))
        }
    }

    private static func path(of request: RequestID) -> String { "/v1/requests/\(request)/answer" }

    /// The reply to an answer: an error when the request had ended before, and the requests that wait; one that is malformed or forged is left out.
    private static func delivery(_ body: [UInt8]) throws -> (tooLate: SharingError?, pending: [Verified<Request>]) {
        let delivery = try JSONReader().decode(Wire.Delivery.self, from: Data(body))
        let pending = delivery.pending.compactMap { text in
            Base64URL.bytes(of: text).flatMap { try? Signed<Request>(bytes: $0).verified() }
        }
        guard delivery.state != RequestState.Kind.answered.rawValue else { return (nil, pending) }
        let words = "nobody waits for the answer any more: its request had ended before it came"
        return (SharingError(.refused, words), pending)
    }
}
