internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

extension SharingWorld {
    var friendsMoves: [Move<SharingWorld>] {
        (self.asking.map { [$0] } ?? []) + self.asked.flatMap { self.occurrences(of: $0) }.flatMap(self.openings)
    }

    private var asking: Move<SharingWorld>? {
        guard self.asked.count < self.setting.requestsMax else { return nil }
        let number = self.asked.count + 1
        let grant = self.setting.grant(Names.friendsGrant, to: Names.friend)
        let id = RequestID(high: UInt64(number), low: 0)
        var world = self
        world.asked.append(
            self.setting.request(id, under: grant, key: UInt8(number), issued: self.now.wall)
        )
        return Move(words: "the friend asks (request \(number))", world: world)
    }

    /// The request, and its occurrences if it begins a schedule.
    func occurrences(of request: Signed<Request>) -> [Signed<Request>] {
        request.value.repetition == nil ? [request] : (0...2).map { request.occurrence($0) }
    }

    private func openings(of request: Signed<Request>) -> [Move<SharingWorld>] {
        (Array(self.answers) + self.composedAnswers(to: request)).compactMap { answer in
            let digest = request.value.modelDigest
            guard !self.believed.contains(where: { $0.digest == digest }), let fix = self.opened(answer, request) else {
                return nil
            }
            var world = self
            world.believed.insert(Belief(digest: digest, fix: fix, clock: self.clock))
            return Move(
                words: "the friend opens the position \(fix.latitude) as the answer to \(digest.words)",
                world: world
            )
        }
    }

    /// Runs the requester's machine until the answer.
    private func opened(_ answer: SealedTerm, _ request: Signed<Request>) -> SharedFix? {
        var generator = SeededGenerator(seed: 1)
        let now = self.now
        var (machine, _) = Asking.began(request.value, server: "server", patience: .seconds(600), now: now.monotonic)
        _ = machine.handle(.replied(.accepted), now: now, using: &generator)
        let state = RequestState(.answered, at: now.wall, reason: "")
        _ = machine.handle(.told(state, answer: answer.bytes), now: now, using: &generator)
        let isBound = self.setting.missing != .answersAreBound
        guard answer.key == request.value.publicKey, !isBound || answer.info == request.value.modelDigest else {
            return nil
        }
        let sealed = SealedAnswer(request: answer.request, sharer: answer.signer, sealed: [])
        let timings = DeviceTimings(started: .zero, fix: .zero, sealed: .zero)
        let opened = Answer(content: answer.content, timings: timings)
        let effects = machine.handle(
            .opened(Verified(Signed(value: sealed, signature: [])), opened),
            now: now,
            using: &generator
        )
        guard case .end(let update)? = effects.last, update.state.kind == .answered, let given = update.answer,
            case .fix(let fix) = given.content
        else { return nil }
        return fix
    }
}

extension RequestDigest {
    /// The numbers of the request and the occurrence, for traces.
    var words: String { "request \(self.bytes[7]), occurrence \(self.bytes[18])" }
}
