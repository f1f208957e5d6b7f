internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// A sharer's device, as it receives requests and answers them.
extension Sharer {
    /// Reads a request out of a location push, checks it, and claims it for this process.
    ///
    /// Answer it with ``respond(to:within:handsOver:prompt:measure:)``.
    ///
    /// - Parameters:
    ///   - pushPayload: the payload that the extension received.
    ///   - pushAge: how long ago the device received the push; zero if unknown.
    /// - Returns: the request, claimed until it is answered.
    /// - Throws: ``SharingError`` if the request must not be answered: it is malformed, forged, sealed to another device, for
    ///   another sharer, or was answered before.
    public func receive(pushPayload: [String: Any], pushAge: Duration = .zero) throws -> IncomingRequest {
        let started = ContinuousClock.now
        let request = try self.profile.deviceFile.request(in: pushPayload, self.sealing, now: .now).verified()
        let sharer = self.profile.identity.publicIdentity
        switch try Receipt.requestReceived(
            request,
            by: sharer,
            self.profile.records(),
            policy: self.policy,
            now: .now
        ) {
        case .answer(let receipt):
            return IncomingRequest(receipt: receipt, received: started - pushAge, started: started)
        case .drop(let error): throw error
        }
    }

    /// Returns whether the server reports that the request has ended.
    private func report(_ progress: DeviceProgress, for receipt: Receipt) async throws -> Bool {
        let id = receipt.request.id
        let report = DeviceReport(request: id, sharer: self.profile.identity.publicIdentity, progress: progress)
        let body = try await self.post("/v1/requests/\(id)/progress", report)
        return (try? JSONReader().decode(Wire.Over.self, from: Data(body))) != nil
    }

    /// Answers a request, and those that wait behind it, with one measurement.
    ///
    /// If this takes longer, the requester is notified that the device received the request, and later that it is measuring
    /// (``Answering``). Otherwise the answer's timings contain this, and the exchange needs one connection, which is opened during
    /// the measurement, and one request.
    ///
    /// - Parameters:
    ///   - incoming: the request that the push carried.
    ///   - patience: how long the process may answer; 25 s of the 30 s that an extension has, if not given.
    ///   - handsOver: whether the app continues a live share (``Sharer/beFollowed``); if not, followers are refused.
    ///   - prompt: shows the person a question if the grant requires their approval, such as a notification that opens the
    ///     app; the app reports their answer with ``SharingProfile/answer(_:isAllowed:)``.
    ///   - measure: gets a fix; if it throws, the error becomes the reason in the answer.
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
        let records = self.profile.records(handsOver: handsOver)
        // Requests whose answer is a position, for a live share or a schedule, which start once the answer is stored.
        var followings: [RequestDigest: Signed<Request>] = [:]
        await withDiscardingTaskGroup { group in
            var (answering, effects) = Answering.began(
                incoming.receipt,
                records,
                policy: self.policy,
                patience: patience ?? Answering.patience,
                now: inputs.clock.now
            )
            while true {
                for effect in effects {
                    switch effect {
                    case .measure:
                        self.server.connect()
                        group.addTask { feed(.measured(await Self.measured(measure))) }
                    case .report(let progress, let receipt):
                        group.addTask {
                            guard (try? await self.report(progress, for: receipt)) == true else { return }
                            feed(.requestEnded(receipt.digest))
                        }
                    case .withdraw(let receipt): self.profile.questionFiles.withdraw(receipt.digest)
                    case .ask(let receipt, let time):
                        let question = Question(receipt.request, until: WallTime.now.advanced(by: time))
                        group.addTask {
                            let isAllowed = await self.profile.questionFiles.word(on: question, within: time, prompt)
                            if let isAllowed { feed(.consented(receipt.digest, isAllowed: isAllowed)) }
                        }
                    case .seal(let content, let receipt):
                        if case .fix = content, receipt.request.begins { followings[receipt.digest] = receipt.signed }
                        feed(self.sealed(content, receipt, incoming))
                    case .post(let answer, let timeout):
                        if let following = followings.removeValue(forKey: answer.digest) {
                            // Send the answer anyway: the requester sees that no updates follow.
                            try? records.followings.begin(following)
                        }
                        group.addTask { feed(await self.post(answer, timeout: timeout)) }
                    case .end(let error): failure = error
                    }
                }
                if answering.state == .ended { break }
                guard let input = await inputs.next(deadline: answering.deadline, timer: .deadlineReached, in: &group)
                else {
                    failure = CancellationError()
                    answering.abandoned(records)
                    break
                }
                effects = answering.handle(input, records, now: inputs.clock.now, using: &generator)
            }
            group.cancelAll()
        }
        // Check for a lost database only now: the answer is more urgent.
        await self.remindServer()
        if let failure { throw failure }
        await self.renewPushKey(since: incoming.started)
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
            // This request arrived with the reply to the previous answer, after the fix had been measured.
            let now = ContinuousClock.now
            return .sealed(
                try self.sealed(content, IncomingRequest(receipt: receipt, received: now, started: now))
            )
        } catch {
            return .unsealable(
                SharingError(.cannotOpen, "the answer cannot be encrypted (\(error)); ask for a new request")
            )
        }
    }

    /// Seals and signs an answer, and returns its bytes.
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
        let answer = SealedAnswer(request: request.id, sharer: self.profile.identity.publicIdentity, sealed: sealed)
        return try self.profile.identity.sign(answer).bytes
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

    /// Reads the reply to an answer: an error when the request had ended before, and the waiting requests without
    /// malformed or forged ones.
    private static func delivery(_ body: [UInt8]) throws -> (tooLate: SharingError?, pending: [Verified<Request>]) {
        let delivery = try JSONReader().decode(Wire.Delivery.self, from: Data(body))
        let pending = delivery.pending.compactMap { text in
            Base64URL.bytes(of: text).flatMap { try? Signed<Request>(bytes: $0).verified() }
        }
        guard delivery.state != RequestState.Kind.answered.rawValue else { return (nil, pending) }
        let words = "nobody waits for the answer any more: the request had ended before it was sent"
        return (SharingError(.refused, words), pending)
    }
}
