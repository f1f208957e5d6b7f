public import Vocabulary

extension RequestLife {
    /// Actions returned by ``requestVerified(_:standing:policy:now:)``.
    public enum OnVerified: Sendable, Hashable {
        /// Store the life, then execute the effects.
        case accept(RequestLife, [Effect])
        /// Answer as to a stranger; store nothing, push nothing.
        case refuse(Refusal)
        /// Answer with the time from which a request is welcome; store nothing, push nothing.
        case tooSoon(until: WallTime)
    }

    /// Decides whether a request whose signatures hold is let in.
    ///
    /// - Parameters:
    ///   - request: the request, verified together with the grant it carries.
    ///   - standing: what the store knows at this moment.
    ///   - policy: the numbers to decide by.
    ///   - now: the moment the request arrived.
    /// - Returns: what to do with it.
    public static func requestVerified(
        _ request: Verified<Request>,
        standing: Standing,
        policy: Policy,
        now: WallTime
    ) -> OnVerified {
        let (request, grant) = (request.value, request.value.grant.value)
        if standing.isReplayed { return .refuse(.replayed) }
        if let refusal = request.refusal(isRevoked: standing.isRevoked, policy: policy, now: now) {
            return .refuse(refusal)
        }
        if standing.device == .unknown { return .refuse(.unknownDevice) }
        // One that was accepted in the future was so by a clock that was set back since, and says nothing.
        if let last = standing.lastAccepted, last <= now {
            let next = last.advanced(by: .seconds(Int64(grant.intervalMin)))
            if now < next { return .tooSoon(until: next) }
        }
        if standing.pendingCount >= policy.pendingPerDeviceMax {
            return .tooSoon(until: now.advanced(by: policy.allowance))
        }
        let accepted = RequestState(.accepted, at: now, reason: "The server accepted the request.")
        if standing.device == .paused {
            let paused = RequestLife.paused(at: now)
            let life = RequestLife(
                restoring: .unreachable,
                history: [accepted, paused],
                expires: request.expires,
                policy: policy
            )
            return .accept(life, [.announce(accepted), .announce(paused)])
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
        return .accept(life, [.sendPush, .announce(accepted)])
    }
}
