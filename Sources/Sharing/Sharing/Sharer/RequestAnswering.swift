internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Performs the decisions of ``Answering`` about a request that reached the device.
struct RequestAnswering: Sendable {
    let messages: SharerMessages
    let sealing: any Sealing
    let policy: SharingPolicy
    let records: AnswerRecords
    let questions: QuestionFiles

    func respond(
        to incoming: IncomingRequest,
        within patience: Duration,
        prompt: @escaping @Sendable (Question) -> Void,
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        var inputs = MachineInputs<Answering.Input>()
        let feed = inputs.feed
        var failure: (any Error)?
        // Requests whose answer is a position, for a live share or a schedule, which start once the answer is stored.
        var followings: [RequestDigest: Signed<Request>] = [:]
        await withDiscardingTaskGroup { group in
            var (answering, effects) = Answering.began(
                incoming.receipt,
                self.records,
                policy: self.policy,
                patience: patience,
                now: inputs.clock.now
            )
            while true {
                for effect in effects {
                    switch effect {
                    case .measure:
                        self.messages.server.connect()
                        group.addTask { feed(.measured(await Self.measured(measure))) }
                    case .report(let progress, let receipt):
                        group.addTask {
                            guard (try? await self.report(progress, for: receipt)) == true else { return }
                            feed(.requestEnded(receipt.digest))
                        }
                    case .withdraw(let receipt): self.questions.withdraw(receipt.digest)
                    case .ask(let receipt, let time):
                        let question = Question(receipt.request, until: WallTime.now.advanced(by: time))
                        group.addTask {
                            let isAllowed = await self.questions.word(on: question, within: time, prompt)
                            if let isAllowed { feed(.consented(receipt.digest, isAllowed: isAllowed)) }
                        }
                    case .seal(let content, let receipt):
                        if case .fix = content, receipt.request.begins { followings[receipt.digest] = receipt.signed }
                        feed(self.sealed(content, receipt, incoming))
                    case .post(let answer, let timeout):
                        if let following = followings.removeValue(forKey: answer.digest) {
                            // Send the answer anyway: the requester sees that no updates follow.
                            try? self.records.followings.begin(following)
                        }
                        group.addTask { feed(await self.post(answer, timeout: timeout)) }
                    case .end(let error): failure = error
                    }
                }
                if answering.state == .ended { break }
                guard let input = await inputs.next(deadline: answering.deadline, timer: .deadlineReached, in: &group)
                else {
                    failure = CancellationError()
                    answering.abandoned(self.records)
                    break
                }
                effects = answering.handle(input, self.records, now: inputs.clock.now, using: &generator)
            }
            group.cancelAll()
        }
        // Check for a lost database only now: the answer is more urgent.
        await self.messages.remind()
        if let failure { throw failure }
    }

    /// Returns whether the server reports that the request has ended.
    private func report(_ progress: DeviceProgress, for receipt: Receipt) async throws -> Bool {
        let id = receipt.request.id
        let report = DeviceReport(request: id, sharer: self.messages.identity.publicIdentity, progress: progress)
        let body = try await self.messages.post("/v1/requests/\(id)/progress", report)
        return (try? JSONReader().decode(Wire.Over.self, from: Data(body))) != nil
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
        let answer = SealedAnswer(request: request.id, sharer: self.messages.identity.publicIdentity, sealed: sealed)
        return try self.messages.identity.sign(answer).bytes
    }

    private func post(_ outgoing: GivenAnswers.Undelivered, timeout: Duration) async -> Answering.Input {
        do {
            let path = "/v1/requests/\(outgoing.request)/answer"
            let response = try await self.messages.server.attempt(path, outgoing.answer, timeout: timeout)
            switch response.status {
            case 200:
                let delivery = try Self.delivery(response.body)
                return delivery.tooLate.map { .came(tooLate: $0, pending: delivery.pending) }
                    ?? .delivered(pending: delivery.pending)
            case 500..<600: return .attemptFailed(self.messages.server.rejected(response))
            default: return .rejected(self.messages.server.rejected(response))
            }
        } catch {
            return .attemptFailed(self.messages.server.unreachable(ConnectionFailure(request: error)))
        }
    }

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
