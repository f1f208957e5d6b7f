internal import WhereaboutsVocabulary

/// Gives grants and revokes them.
struct GivenGrants: Sendable {
    let messages: SharerMessages
    let followers: FollowerMessages
    let files: GrantFiles

    /// Signs a grant without storing it.
    func signed(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration = .zero,
        limits: GrantLimits = GrantLimits(),
        now: WallTime
    ) throws -> Signed<Grant> {
        var generator = SystemRandomNumberGenerator()
        let identity = self.messages.identity
        return try identity.sign(
            Grant(
                to: requester,
                by: identity.publicIdentity,
                precision: precision,
                for: duration,
                atMostEvery: interval,
                limits: limits,
                using: &generator,
                now: now
            )
        )
    }

    /// Gives a grant with the terms and the end of another one.
    func give(
        _ requester: PublicIdentity,
        onTermsOf terms: Grant,
        usesMax: UInt16?,
        now: WallTime
    ) throws -> Signed<Grant> {
        let grant = try self.signed(
            requester: requester,
            precision: terms.precision,
            for: now.duration(to: terms.notAfter),
            atMostEvery: .seconds(Int64(terms.intervalMin)),
            limits: GrantLimits(
                hours: terms.hours,
                usesMax: usesMax,
                asksPerson: terms.asksPerson,
                followMinutesMax: terms.followMinutesMax
            ),
            now: now
        )
        try self.files.record(grant)
        return grant
    }

    /// Revokes a grant on this device only.
    ///
    /// - Throws: ``SharingError`` when the grant is another sharer's, or the revocation cannot be written.
    @discardableResult
    func refuse(_ grant: Signed<Grant>) throws -> Revocation {
        guard grant.value.sharer == self.messages.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the grant \(grant.value.id) was issued by someone else: only its sharer can revoke it; "
                    + "use the profile that issued it"
            )
        }
        let revocation = Revocation(of: grant.value)
        try self.files.record(self.messages.identity.sign(revocation))
        self.followers.endSchedules(under: grant.value.id)
        return revocation
    }

    /// Revokes grants: all on this device first, because the server may be unreachable, then on the server.
    func revoke(_ grants: [Signed<Grant>]) async throws {
        let revocations = try grants.map { try self.refuse($0) }
        for revocation in revocations {
            try await self.messages.post("/v1/revocations", revocation)
            // The revocation also ends live shares on the server; an unconfirmed end is sent again later.
            _ = try? await self.followers.sayEnds()
        }
    }
}
