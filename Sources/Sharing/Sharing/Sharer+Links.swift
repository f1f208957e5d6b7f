internal import WhereaboutsVocabulary

extension Sharer {
    /// Makes a link with which anyone can ask where this person is.
    ///
    /// A link is a grant to a key that only the link holds. The server stores the sealed grant. The link has a random number, from
    /// which the key is derived; this profile does not store the number.
    ///
    /// - Parameters:
    ///   - name: what the person calls the link; the lowest free number, if not given. Anyone who opens the link sees the name.
    ///   - ownName: the name that the person uses for themselves. Anyone who opens the link sees this name, too.
    ///   - password: a password that opens the link, at least ``SharedLink/passwordCharactersMin`` characters; none, if not given.
    ///   - precision: the most exact answer allowed.
    ///   - duration: how long the link works, from now; at most 31 days.
    ///   - interval: the minimum time between two requests; whole seconds.
    ///   - limits: the hours of the day in which the link can be used, and how often.
    /// - Returns: the link.
    /// - Throws: ``SharingError`` when the link would allow nothing, the name is taken, or the server cannot be reached or refuses;
    ///   there is no link then.
    public func link(
        called name: String? = nil,
        by ownName: String,
        password: String? = nil,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration = .zero,
        limits: GrantLimits = GrantLimits()
    ) async throws -> SharedLink {
        guard duration <= SharingPolicy.linkLifetimeMax else {
            throw SharingError(
                .badText,
                "A link lasts at most 31 days, since it may be passed on. Give a shorter time."
            )
        }
        if let password, password.count < SharedLink.passwordCharactersMin {
            throw SharingError(
                .badText,
                "The password of a link has at least \(SharedLink.passwordCharactersMin) characters. Give a longer one."
            )
        }
        let secret = try LinkSecret(seed: LinkSecret.drawnSeed(), password: password)
        let grant = try self.givenGrants.signed(
            requester: secret.identity().publicIdentity,
            precision: precision,
            for: duration,
            atMostEvery: interval,
            limits: limits,
            now: .now
        )
        let name = try self.profile.names.linkName(name)
        let sealed = try secret.seal(
            grant,
            sharer: GivenName.shown(ownName, bytesMax: Invitation.nameBytesMax),
            name: name
        )
        let link = try self.profile.identity.sign(
            LinkedGrant(
                address: secret.address,
                sharer: grant.value.sharer,
                grant: grant.value.id,
                notAfter: grant.value.notAfter,
                sealed: sealed
            )
        )
        // The profile stores nothing before the server has the link. Otherwise an interrupted call would leave a grant that is
        // listed, but that no link carries. No request can arrive before this method returns the link.
        try self.server.accepted(await self.server.post("/v1/links", link.bytes))
        do {
            try self.profile.keep(link, grant, called: name)
        } catch {
            self.profile.drop(grant.value)
            // The server has a link that no one can open. If the server cannot be notified, the link counts until it
            // expires.
            _ = try? await self.messages.send("/v1/revocations", Revocation(of: grant.value))
            throw error
        }
        await self.messages.remind()
        return SharedLink(text: secret.text(server: self.profile.settings.server), name: name, grant: grant)
    }
}
