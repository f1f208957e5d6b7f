package import WhereaboutsVocabulary

extension Request {
    /// The latest end of the request's live share; nil for a single answer.
    package var followingEnd: WallTime? {
        self.followMinutes.map { minutes in
            min(self.issued.advanced(by: .seconds(Int64(minutes) * 60)), self.grant.value.notAfter)
        }
    }

    /// The reason why its live share must end, checked before each update, on the device and on the server.
    package func followingFault(isRevoked: Bool, now: WallTime) -> FollowingEnd.Reason? {
        guard let end = self.followingEnd, now < end else { return .time }
        if isRevoked { return .revoked }
        // If the clock was set back to before the grant began, the share would last longer than the grant allows.
        guard now >= self.grant.value.notBefore else { return .time }
        return self.grant.value.hours.map { $0.contains(now) } ?? true ? nil : .time
    }
}
