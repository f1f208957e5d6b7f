package import WhereaboutsVocabulary

/// A request that reached its device, was checked, and is claimed for one ``Answering``.
package struct Receipt: Sendable, Hashable {
    /// The request as it was signed, which the answer is bound to.
    package let signed: Signed<Request>
    /// The rule that it breaks, if it breaks one: its requester gets that and nothing else, whatever was measured.
    package let refusal: Refusal?
    /// The signed answer that was given before and not delivered, if there is one; no other may be given.
    package let kept: [UInt8]?

    package var request: Request { self.signed.value }

    /// Actions returned by ``requestReceived(_:by:_:policy:now:)``.
    package enum OnReceived: Sendable {
        case answer(Receipt)
        /// Do not answer; the error is for the device's log.
        case drop(SharingError)
    }

    /// Decides whether a device answers a request with valid signatures.
    ///
    /// - Parameters:
    ///   - request: the request, verified together with the grant it carries.
    ///   - sharer: whose device this is.
    ///   - records: the device's records; they claim the request when it will be answered.
    ///   - policy: the numbers to decide by.
    ///   - now: the moment the request arrived.
    /// - Returns: whether to answer.
    /// - Throws: what the records throw; the request is not answered then.
    package static func requestReceived(
        _ request: Verified<Request>,
        by sharer: PublicIdentity,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> OnReceived {
        let id = request.value.id
        guard request.value.grant.value.sharer == sharer else {
            return .drop(
                SharingError(
                    .notForUs,
                    "the request \(id) is for another sharer: its grant must be ours; register this device again"
                )
            )
        }
        guard !records.isRemoved else { return .drop(Self.removed(id)) }
        guard records.claim(id) else { return .drop(Self.replayed(id)) }
        do {
            let decided = try Self.requestClaimed(request.signed, records, policy: policy, now: now)
            if case .drop = decided { records.leave(id) }
            return decided
        } catch {
            records.leave(id)
            throw error
        }
    }

    private static func requestClaimed(
        _ signed: Signed<Request>,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> OnReceived {
        let request = signed.value
        switch try records.received(request, policy: policy, now: now) {
        case .answer: break
        case .deliver(let answer): return .answer(Receipt(signed: signed, refusal: nil, kept: answer))
        case .replayed: return .drop(Self.replayed(request.id))
        case .grantFull, .full: return .drop(Self.tooMany)
        }
        let isRevoked = records.isVoid(request.grant.value.id)
        if let refusal = request.refusal(isRevoked: isRevoked, policy: policy, now: now) {
            return .answer(Receipt(signed: signed, refusal: refusal, kept: nil))
        }
        switch try records.use(request, policy: policy, now: now) {
        case .answer, .record: return .answer(Receipt(signed: signed, refusal: nil, kept: nil))
        case .tooSoon: return .answer(Receipt(signed: signed, refusal: .tooSoon, kept: nil))
        case .usedUp: return .answer(Receipt(signed: signed, refusal: .usedUp, kept: nil))
        case .full:
            return .drop(
                SharingError(
                    .badProfile,
                    "\(GrantUses.countMax) grants are within their interval or have a number of uses, the most that are kept: "
                        + "wait until one of them ends"
                )
            )
        }
    }

    /// Creates the error for a request that has its answer, or is about to get it.
    package static func replayed(_ id: RequestID) -> SharingError {
        SharingError(
            .replayed,
            "the request \(id) was received before: a request is answered once; there is nothing left to do"
        )
    }

    /// Creates the error for a removed device.
    package static func removed(_ id: RequestID) -> SharingError {
        SharingError(
            .notForUs,
            "the request \(id) is not answered: this device was removed by its person; `whereabouts devices --answer-here` on it adds it again"
        )
    }

    /// The error when the limit of stored answers is reached.
    package static var tooMany: SharingError {
        SharingError(
            .badProfile,
            "someone asked more than \(GivenAnswers.ofGrantMax) times within minutes, or all together more than "
                + "\(GivenAnswers.countMax) times, the most answers that are kept; revoke their grant"
        )
    }

    /// Returns the answer that the device may give, whatever it measured: the grant is looked at once more, a refusal stands
    /// above all, nothing is reported without the person's word where the grant wants it, nobody begins to follow where no app goes on, no timer asks that was ended, and who asks for a reduced position, or may have
    /// no other, gets no more.
    package func permitted(
        _ content: Answer.Content,
        isConsented: Bool,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws(SharingError) -> Answer.Content {
        let isRevoked = records.isVoid(self.request.grant.value.id)
        let isMissing = self.request.grant.value.asksPerson && !isConsented
        let refusal =
            self.refusal ?? self.request.refusal(isRevoked: isRevoked, policy: policy, now: now)
            ?? (isMissing ? .notConsented : nil)
            ?? (self.request.followMinutes == nil ? nil : records.followingRefusal(of: self.request, now: now))
            ?? (self.request.repetition == nil ? nil : records.timerRefusal(of: self.request, now: now))
        return try self.request.permitted(content, refusal: refusal)
    }
}

extension Request {
    /// Returns the answer that a device may give to this request, once it is known whether it must refuse.
    package func permitted(_ content: Answer.Content, refusal: Refusal?) throws(SharingError) -> Answer.Content {
        if let refusal { return .refusal(refusal.reason) }
        let precision = min(self.precision, self.grant.value.precision)
        guard case .fix(let fix) = content, precision == .reduced else { return content }
        return .fix(try fix.reduced())
    }
}
