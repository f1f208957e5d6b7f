public import Vocabulary

extension RequestLife {
    /// Actions returned by ``requestVerified(_:precedents:policy:now:)``.
    public enum OnVerified: Sendable, Hashable {
        /// Store the life and the date until which the grant's pace is paid for, then execute the effects.
        case accept(RequestLife, paidUntil: WallTime, [Effect])
        /// Answer as to a stranger; store nothing, push nothing.
        case refuse(Refusal)
        /// Answer with the time from which a request is welcome; store nothing, push nothing.
        case tooSoon(until: WallTime)
    }

    /// Decides whether a request whose signatures hold is let in.
    ///
    /// - Parameters:
    ///   - request: the request, verified together with the grant it carries.
    ///   - precedents: what the store knows at this moment.
    ///   - policy: the numbers to decide by.
    ///   - now: the moment the request arrived.
    /// - Returns: what to do with it.
    public static func requestVerified(
        _ request: Verified<Request>,
        precedents: Precedents,
        policy: SharingPolicy,
        now: WallTime
    ) -> OnVerified {
        let (request, grant) = (request.value, request.value.grant.value)
        if precedents.isReplayed { return .refuse(.replayed) }
        if let refusal = request.refusal(isRevoked: precedents.isRevoked, policy: policy, now: now) {
            return .refuse(refusal)
        }
        if precedents.device == .unknown { return .refuse(.unknownDevice) }
        let (load, later) = (precedents.load, now.advanced(by: policy.allowance))
        if load.pending >= policy.pendingPerDeviceMax || load.pendingUnderGrant >= policy.pendingPerGrantMax
            || load.kept >= policy.requestsPerDeviceMax || load.otherGrantsInUse >= policy.grantsInUsePerSharerMax
        {
            return .tooSoon(until: later)
        }
        let paidUntil: WallTime
        switch grant.pace(policy).use(paidUntil: precedents.paidUntil, now: now) {
        case .pass(let until): paidUntil = until
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
            return .accept(life, paidUntil: paidUntil, [.announce(accepted), .announce(paused)])
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
        return .accept(life, paidUntil: paidUntil, [.sendPush, .announce(accepted)])
    }
}
