package import WhereaboutsVocabulary

/// A request that reached its device, was checked, and is claimed for one ``Answering``.
package struct Receipt: Sendable, Hashable {
    /// The signed request, to which the answer is bound.
    package let signed: Signed<Request>
    package let digest: RequestDigest
    /// The rule that the request breaks, if any: the answer is then this refusal, whatever was measured.
    package let refusal: Refusal?
    /// An earlier signed answer that was not delivered, if any; no other answer may be sent.
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
    ///   - sharer: the owner of this device.
    ///   - records: the device's records; they claim the request if it will be answered.
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
                    "the request \(id) is for another sharer: its grant was not issued by this identity; register this device again"
                )
            )
        }
        guard !records.isRemoved else { return .drop(Self.removed(id)) }
        let digest = records.digest(of: request.value)
        guard records.claim(digest) else { return .drop(Self.replayed(id)) }
        do {
            let decided = try Self.requestClaimed(request.signed, digest, records, policy: policy, now: now)
            if case .drop = decided { records.leave(digest) }
            return decided
        } catch {
            records.leave(digest)
            throw error
        }
    }

    private static func requestClaimed(
        _ signed: Signed<Request>,
        _ digest: RequestDigest,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> OnReceived {
        let request = signed.value
        func receipt(_ refusal: Refusal?, kept: [UInt8]? = nil) -> OnReceived {
            .answer(Receipt(signed: signed, digest: digest, refusal: refusal, kept: kept))
        }
        switch try records.received(request, policy: policy, now: now) {
        case .answer: break
        case .deliver(let answer): return receipt(nil, kept: answer)
        case .replayed: return .drop(Self.replayed(request.id))
        case .grantFull, .full: return .drop(Self.tooMany)
        }
        let isRevoked = records.isVoid(request.grant.value.id)
        if let refusal = request.refusal(isRevoked: isRevoked, policy: policy, now: now) {
            return receipt(refusal)
        }
        switch try records.use(request, policy: policy, now: now) {
        case .answer, .record: return receipt(nil)
        case .tooSoon: return receipt(.tooSoon)
        case .usedUp: return receipt(.usedUp)
        case .full:
            return .drop(
                SharingError(
                    .badProfile,
                    "\(GrantUses.countMax) grants have a running interval or a limited number of uses, which is the maximum: "
                        + "wait until one of them ends"
                )
            )
        }
    }

    /// Creates the error for a request that was answered, or is being answered.
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
            "the request \(id) is not answered: this device was removed; `whereabouts devices --answer-here` on it adds it again"
        )
    }

    /// The error when the limit of stored answers is reached.
    package static var tooMany: SharingError {
        SharingError(
            .badProfile,
            "someone asked more than \(GivenAnswers.ofGrantMax) times within minutes, or all together more than "
                + "\(GivenAnswers.countMax) times, the maximum of stored answers; revoke their grant"
        )
    }

    /// Returns the answer that the device may send: a refusal if the request breaks a rule now, if the required approval is missing,
    /// if no app can continue its live share, or if its schedule was ended; otherwise the measurement, reduced if the request or the
    /// grant says so.
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
            ?? (self.request.repetition == nil ? nil : records.scheduleRefusal(of: self.request, now: now))
        return try self.request.permitted(content, refusal: refusal)
    }
}

extension Request {
    /// Returns the refusal, if there is one; otherwise the measurement with the precision that the request and the grant allow.
    package func permitted(_ content: Answer.Content, refusal: Refusal?) throws(SharingError) -> Answer.Content {
        if let refusal { return .refusal(refusal) }
        let precision = min(self.precision, self.grant.value.precision)
        guard case .fix(let fix) = content, precision == .reduced else { return content }
        return .fix(try fix.reduced())
    }
}
