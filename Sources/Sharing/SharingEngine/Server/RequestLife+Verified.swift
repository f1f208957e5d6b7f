public import WhereaboutsVocabulary

extension RequestLife {
    /// The new dates of the two rate limits (``Pace``) that an accepted request uses.
    public struct Payment: Sendable, Hashable {
        /// The date of the grant's pace.
        public let grant: WallTime
        /// The date of the pace of the sharer's pushes; nil if this request sends no push.
        public let pushes: WallTime?
    }

    /// Actions returned by ``requestVerified(_:precedents:policy:now:)``.
    public enum OnVerified: Sendable, Hashable {
        /// Store the request's life and the dates of the rate limits, then execute the effects.
        case accept(RequestLife, Payment, [Effect])
        /// Answer as to a stranger; store and push nothing.
        case refuse(Refusal)
        /// Answer with the time from which a request is accepted; store and push nothing.
        case tooSoon(until: WallTime)
    }

    /// Decides whether a request with valid signatures is accepted.
    ///
    /// - Parameters:
    ///   - request: the request, verified together with the grant it carries.
    ///   - precedents: what the store knows at this moment.
    ///   - policy: the numbers to decide by.
    ///   - now: the moment the request arrived.
    /// - Returns: what to do with it.
    public static func requestVerified(
        _ request: Verified<Request>,
        precedents: PriorRecords,
        policy: SharingPolicy,
        now: WallTime
    ) -> OnVerified {
        let (request, grant) = (request.value, request.value.grant.value)
        if precedents.isReplayed { return .refuse(.replayed) }
        // Check this before the revocation: the requester is told this reason, which must not reveal whether the grant was revoked.
        if precedents.device == .unknown, grant.notBefore <= now, now < grant.notAfter {
            return .refuse(.unknownDevice)
        }
        if let refusal = request.refusal(isRevoked: precedents.isRevoked, policy: policy, now: now) {
            return .refuse(refusal)
        }
        if precedents.device == .unknown { return .refuse(.unknownDevice) }
        let later = now.advanced(by: policy.allowance)
        if precedents.load.isFull(for: request, policy) { return .tooSoon(until: later) }
        let isScarce = policy.isScarce(pushesPaidUntil: precedents.pushesPaidUntil, now: now)
        // Leave out occurrences first, since no person waits for them.
        if isScarce, request.occurrence > 0 { return .tooSoon(until: later) }
        let pace = grant.pace(policy, isScarce: isScarce)
        // A frequent requester may use only a quarter of the burst; the rest is for other requesters.
        let reserve = isScarce ? pace.burst * 3 / 4 : 0
        let grantPaidUntil: WallTime
        switch pace.use(paidUntil: precedents.paidUntil, reserve: reserve, now: now) {
        case .pass(let until): grantPaidUntil = until
        case .tooSoon(let until): return .tooSoon(until: until)
        }
        let accepted = RequestState(.accepted, at: now, reason: "The server accepted the request.")
        if precedents.device == .paused {
            let paused = RequestLife.paused(at: now)
            let life = RequestLife(
                restoring: .unreachable,
                history: [accepted, paused],
                expires: request.expires,
                policy: policy
            )
            let payment = Payment(grant: grantPaidUntil, pushes: nil)
            return .accept(life, payment, [.announce(accepted), .announce(paused)])
        }
        let policy = request.occurrence > 0 ? policy.ofOccurrences : policy
        if let wake = precedents.wake {
            var life = RequestLife(
                restoring: .waiting(nextPush: wake.end, giveUp: wake.end.advanced(by: policy.allowance)),
                history: [accepted],
                expires: request.expires,
                policy: policy
            )
            let taken = wake.isTaken ? life.wakeAccepted(now: now) : []
            return .accept(life, Payment(grant: grantPaidUntil, pushes: nil), [.announce(accepted)] + taken)
        }
        let pushesPaidUntil: WallTime
        switch policy.pushPace.use(paidUntil: precedents.pushesPaidUntil, now: now) {
        case .pass(let until): pushesPaidUntil = until
        case .tooSoon(let until): return .tooSoon(until: until)
        }
        let life = RequestLife(
            restoring: .accepted(
                nextPush: now.advanced(by: policy.pushRetry),
                giveUp: now.advanced(by: policy.allowance)
            ),
            history: [accepted],
            expires: request.expires,
            policy: policy
        )
        let payment = Payment(grant: grantPaidUntil, pushes: pushesPaidUntil)
        return .accept(life, payment, [.sendPush, .announce(accepted)])
    }
}

extension RequestLoad {
    /// Whether there is no room for one more request.
    fileprivate func isFull(for request: Request, _ policy: SharingPolicy) -> Bool {
        // Occurrences are not counted, because the number of schedules limits them.
        let isCrowded =
            self.pending >= policy.pendingPerSharerMax || self.pendingUnderGrant >= policy.pendingPerGrantMax
            || self.kept >= policy.requestsPerSharerMax
        return request.occurrence == 0 && isCrowded || self.otherGrantsInUse >= policy.grantsInUsePerSharerMax
    }
}
