internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharer and the sharer's devices.
extension SharingWorld {
    func moves(ofDevice device: Int) -> [Move<SharingWorld>] {
        let processes = self.devices[device].processes
        let begun =
            processes.count < self.setting.processesMax ? self.deliverable.compactMap { self.push($0, device) } : []
        return begun + processes.indices.flatMap { self.moves(ofProcess: $0, device) } + self.revocations(device)
    }

    private var policy: SharingPolicy {
        // A lifetime so long that a request never expires in the world.
        self.setting.missing == .timesAreChecked ? SharingPolicy(lifetimeMax: .seconds(1_000_000)) : SharingPolicy()
    }

    private func revocations(_ device: Int) -> [Move<SharingWorld>] {
        guard self.setting.revokes, device == 0, self.devices[device].revoked.isEmpty else { return [] }
        var world = self
        let grants = [Names.friendsGrant, Names.adversarysGrant].map { GrantID(high: 0, low: $0) }
        world.devices[device].revoked.formUnion(grants)
        return [Move(words: "the sharer takes all grants back on device \(device)", world: world)]
    }

    /// Hands a request to a device that has no process for it.
    private func push(_ request: Signed<Request>, _ device: Int) -> Move<SharingWorld>? {
        let records = self.records(device, claims: [])
        let decided = try? Receipt.requestReceived(
            Verified(self.timely(request)),
            by: Names.sharer,
            records,
            policy: self.policy,
            now: self.now.wall
        )
        guard case .answer(let receipt)? = decided else { return nil }
        let (machine, effects) = Answering.began(receipt, records, policy: self.policy, now: self.now)
        var world = self.handingOver(request)
        world.carryOut(effects, machine, records, device, process: nil)
        return Move(words: "device \(device) gets \(self.words(request.value))", world: world)
    }

    /// The request as seen by a device that ignores times: it never expires.
    private func timely(_ request: Signed<Request>) -> Signed<Request> {
        guard self.setting.missing == .timesAreChecked else { return request }
        let value = request.value
        let endless = Request(
            id: value.firstID,
            grant: value.grant,
            precision: value.precision,
            suite: value.suite,
            publicKey: value.publicKey,
            issued: value.issued,
            expires: value.issued.advanced(by: .seconds(100_000))
        )
        return Signed(value: endless, signature: [])
    }

    private func moves(ofProcess index: Int, _ device: Int) -> [Move<SharingWorld>] {
        var moves: [Move<SharingWorld>] = []
        let process = self.devices[device].processes[index]
        switch process.machine.state {
        case .measuring, .woken, .locating, .renewing: moves += self.measurement(index, device).map { [$0] } ?? []
        case .answering:
            let words = "its server takes the answer"
            moves += self.fed(.delivered(pending: []), index, device, words).map { [$0] } ?? []
            moves += self.deliverable.compactMap {
                self.handingOver($0)
                    .fed(.delivered(pending: [Verified(self.timely($0))]), index, device, words)
            }
        case .asking, .sealing, .pausing, .ended: break
        }
        moves += self.words(toQuestion: index, device)
        guard self.setting.crashes else { return moves }
        var world = self
        world.devices[device].processes.remove(at: index)
        return moves + [Move(words: "a process of device \(device) dies", world: world)]
    }

    /// The sharer's yes or no.
    private func words(toQuestion index: Int, _ device: Int) -> [Move<SharingWorld>] {
        guard let question = self.devices[device].processes[index].question else { return [] }
        let digest = question.modelDigest
        var allowing = self
        allowing.allowed.insert(digest)
        return [
            allowing.fed(
                .consented(digest, isAllowed: true),
                index,
                device,
                "the sharer says yes to \(digest.words)"
            ),
            self.fed(.consented(digest, isAllowed: false), index, device, "the sharer says no to \(digest.words)"),
        ].compactMap(\.self)
    }

    private func measurement(_ index: Int, _ device: Int) -> Move<SharingWorld>? {
        guard self.measured < self.setting.measurementsMax else { return nil }
        // Each position is different, so that two answers are never equal.
        let fix = try? SharedFix(
            latitude: Double(self.measured + 1),
            longitude: Double(device),
            horizontalAccuracy: 5,
            time: self.now.wall
        )
        guard let fix else { return nil }
        var world = self
        world.measured += 1
        return world.fed(.measured(.fix(fix)), index, device, "measures \(fix.latitude)")
    }

    private func fed(_ input: Answering.Input, _ index: Int, _ device: Int, _ words: String) -> Move<SharingWorld>? {
        var process = self.devices[device].processes[index]
        let records = self.records(device, claims: process.claims)
        var generator = SeededGenerator(seed: 1)
        let effects = process.machine.handle(input, records, now: self.now, using: &generator)
        var world = self
        world.carryOut(effects, process.machine, records, device, process: index)
        return Move(words: "device \(device): \(words)", world: world)
    }

    private func records(_ device: Int, claims: Set<RequestDigest>) -> ModelDeviceRecords {
        ModelDeviceRecords(self.devices[device], claims: claims, missing: self.setting.missing)
    }

    /// Carries effects out and puts the process back.
    private mutating func carryOut(
        _ effects: [Answering.Effect],
        _ machine: Answering,
        _ records: ModelDeviceRecords,
        _ device: Int,
        process index: Int?
    ) {
        var (machine, waiting, isOver) = (machine, effects, false)
        var question = index.flatMap { self.devices[device].processes[$0].question }
        var generator = SeededGenerator(seed: 1)
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .measure, .report: break
            case .ask(let receipt, within: _): question = receipt.request
            case .withdraw: question = nil
            case .seal(let content, let receipt):
                question = nil
                let bytes = self.sealed(content, receipt.request).bytes
                waiting += machine.handle(.sealed(bytes), records, now: self.now, using: &generator)
            case .post(let undelivered, _): self.posted(undelivered, records.device)
            case .end: isOver = true
            }
        }
        self.devices[device] = records.device
        if let index { self.devices[device].processes.remove(at: index) }
        guard !isOver else { return }
        self.devices[device].processes.append(
            ModelDevice.Process(machine: machine, question: question, claims: records.claims)
        )
    }

    private func sealed(_ content: Answer.Content, _ request: Request) -> SealedTerm {
        SealedTerm(
            signer: Names.sharer,
            request: request.id,
            key: request.publicKey,
            info: request.modelDigest,
            content: content
        )
    }

    private mutating func posted(_ undelivered: GivenAnswers.Undelivered, _ device: ModelDevice) {
        let answer = SealedTerm(bytes: undelivered.answer, request: undelivered.request)
        let isNew = self.answers.insert(answer).inserted
        let request = self.deliverable.first { $0.value.modelDigest == answer.info }
        guard isNew, let fix = answer.fix, let request else { return }
        self.disclosed.insert(
            Disclosure(
                request: request,
                digest: answer.info,
                fix: fix,
                isRevokedHere: device.revoked.contains(undelivered.grant),
                isRevokedElsewhere: self.devices.contains { $0.revoked.contains(undelivered.grant) }
            )
        )
    }

    private func words(_ request: Request) -> String {
        "\(request.modelDigest.words) of \(Names.of(request.grant.value.requester))"
    }
}
