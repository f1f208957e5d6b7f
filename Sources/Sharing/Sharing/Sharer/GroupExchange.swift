internal import WhereaboutsVocabulary

/// Exchanges rosters and grants with the other members of a group, and grants in reply to invitations, over the entries that the server
/// stores for links (ADR 0124).
package struct GroupExchange: Sendable {
    let messages: SharerMessages
    let grants: GivenGrants
    let groups: GroupFiles
    let names: NameFile
    let awaited: AwaitedReplies

    private var own: Identity { self.messages.identity }

    /// Fetches replies to invitations, reads the rosters of all groups, gives grants to new members, revokes those of former ones, and fetches theirs.
    ///
    /// - Parameter fetches: whether to look for missing grants; the server limits how often a client's address may do so.
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses, or a file is damaged; completed steps are kept.
    package func tend(fetches: Bool = true) async throws {
        if fetches { try await self.fetchReplies() }
        for group in try self.groups.current() { try await self.tend(group.offer, fetches: fetches) }
    }

    private func tend(_ offer: GroupOffer, fetches: Bool) async throws {
        if !offer.mailbox.isEmpty { try await self.readRoster(offer) }
        guard let group = try self.groups.group(offer.id), case .member(_, let seed) = group.state else { return }
        let received = try self.grants.files.allReceived().map { ($0.value.sharer, $0.value.notAfter) }
        let steps = group.steps(
            received: Dictionary(received, uniquingKeysWith: max),
            isRevoked: self.grants.files.isRevoked,
            now: .now
        )
        for step in steps {
            switch step {
            case .postRoster(let peer):
                guard let roster = group.roster(foundedBy: self.ownName) else { continue }
                try await self.post(roster, to: peer)
            case .postGrant(let peer):
                let secret = try LinkSecret(group: seed, from: group.own, to: peer.member.person)
                try await self.postGrant(to: peer.member, secret, offer)
            case .look(let peer):
                guard fetches else { continue }
                let secret = try LinkSecret(group: seed, from: peer.member.person, to: group.own)
                guard try await self.fetch(from: peer.member, secret) else { return }
            }
        }
        await self.messages.remind()
    }

    /// Removes a member from a group that this person founded, and revokes the grant that they have as a member.
    ///
    /// The removed member and all others read the new roster in their mailboxes.
    ///
    /// - Throws: ``SharingError`` when the person is not a member, or the server cannot be reached. In both cases nothing was changed.
    package func remove(_ person: PublicIdentity, from id: GroupID) async throws {
        var changed = try self.groups.group(id)
        guard let peer = changed?.removed(person), let roster = changed?.roster(foundedBy: self.ownName) else {
            throw SharingError(
                .badText,
                "The person is not a member, or you are not the founder, who alone removes members. `whereabouts group` lists them."
            )
        }
        try await self.post(roster, to: peer)
        try self.groups.change(id) { $0.removed(person) }
        try await self.revoke(peer.grant.map { [$0] } ?? [])
        try await self.tend()
    }

    /// Leaves a group: revokes the grants that its members have, and deletes it from this profile.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached; this device refuses already, and this can be repeated.
    package func leave(_ id: GroupID) async throws {
        try await self.revoke(self.groups.group(id)?.peers.compactMap(\.grant) ?? [])
        try self.groups.drop(id)
    }

    private var ownName: String { self.names.name(of: self.own.publicIdentity) ?? "" }

    private func readRoster(_ offer: GroupOffer) async throws {
        let secret = try LinkSecret(seed: offer.mailbox)
        let response = try await self.messages.server.fetch("/v1/links/\(secret.address)")
        // The founder has not confirmed this member yet, or the entry is being replaced.
        guard response.status == 200 else { return }
        guard let bytes = try? secret.open(response.body, parts: 1)[0],
            let roster = try? Signed<GroupRoster>(bytes: bytes).verified()
        else {
            throw SharingError(
                .badSignature,
                "The list of the members of \(offer.name) was changed, and is ignored. Ask the founder to remove and invite you again."
            )
        }
        let action = try self.groups.change(offer.id) { group in
            let action = group.rosterReceived(roster, isRevoked: self.grants.files.isRevoked)
            // Refuse the grants before the group's file stops listing them.
            for grant in action.revoked { try self.grants.refuse(self.grants.files.grant(grant)) }
            return action
        }
        try await self.revoke(action?.revoked ?? [])
    }

    /// Revokes grants, on this device first: the server may be unreachable.
    private func revoke(_ ids: [GrantID]) async throws {
        try await self.grants.revoke(ids.map(self.grants.files.grant))
    }

    // MARK: Entries

    /// Posts a roster to a member's mailbox, replacing an earlier one.
    private func post(_ roster: GroupRoster, to peer: SharingGroup.Peer) async throws {
        let secret = try LinkSecret(seed: peer.mailbox)
        // The server deletes the entry, and forgets a revocation whose grant has ended.
        try await self.messages.post(
            "/v1/revocations",
            Revocation(grant: secret.entry, sharer: self.own.publicIdentity, notAfter: WallTime(milliseconds: 0))
        )
        let entry = self.entry(try secret.seal([self.own.sign(roster).bytes]), secret, secret.entry)
        try await self.messages.post("/v1/links", entry)
        try self.groups.change(roster.group) {
            $0.rosterPosted(roster.number, to: peer.member.person, until: entry.notAfter)
        }
    }

    /// Posts a member's grant for them to fetch, after issuing it if they have none.
    private func postGrant(to member: GroupRoster.Member, _ secret: LinkSecret, _ offer: GroupOffer) async throws {
        let id = try self.groups.change(offer.id) { group in
            try group.granted(to: member.person) {
                let now = WallTime.now
                try self.names.call(member)
                let rest = now.duration(to: offer.notAfter)
                let grant = try self.grants.signed(
                    requester: member.person,
                    precision: offer.precision,
                    for: rest,
                    now: now
                )
                try self.grants.files.record(grant)
                return grant.value.id
            }
            return group.peers.first { $0.member.person == member.person }?.grant
        }
        // If the file is gone, the member can only be invited.
        guard let id = id ?? nil, let grant = try? self.grants.files.grant(id) else { return }
        let entry = self.entry(try secret.seal(grant, sharer: "", name: ""), secret, id, until: grant.value.notAfter)
        // 409: the server already has an entry. 403: another device revoked the grant.
        try self.messages.server.accepted(await self.messages.send("/v1/links", entry), or: 403, 409)
        try self.groups.change(offer.id) { $0.grantPosted(to: member.person, until: entry.notAfter) }
    }

    /// Creates an entry that ends at `end`, or when the server stops storing it if that is earlier.
    private func entry(
        _ sealed: [UInt8],
        _ secret: LinkSecret,
        _ id: GrantID,
        until end: WallTime? = nil
    ) -> LinkedGrant {
        let latest = WallTime.now.advanced(by: SharingPolicy.linkLifetimeMax)
        return LinkedGrant(
            address: secret.address,
            sharer: self.own.publicIdentity,
            grant: id,
            notAfter: end.map { min($0, latest) } ?? latest,
            sealed: sealed
        )
    }

    /// Fetches a member's grant.
    ///
    /// - Returns: false when the server limits how often it is asked for missing entries.
    private func fetch(from member: GroupRoster.Member, _ secret: LinkSecret) async throws -> Bool {
        let (grant, isLimited) = try await self.fetched(from: member.person, secret)
        guard let grant else { return !isLimited }
        try self.names.call(member)
        try self.keep(grant)
        return true
    }

    /// Fetches a person's grant from their entry, if it is there, and whether the server limits such requests.
    private func fetched(
        from sharer: PublicIdentity,
        _ secret: LinkSecret
    ) async throws -> (grant: Signed<Grant>?, isLimited: Bool) {
        let response = try await self.messages.server.fetch("/v1/links/\(secret.address)")
        guard response.status == 200 else { return (nil, response.status == 429) }
        // Others can post to this address, too. Accept only a grant from the sharer to the person of this profile.
        guard let grant = try? secret.open(response.body).grant, grant.value.sharer == sharer,
            grant.value.requester == self.own.publicIdentity, grant.value.notAfter > .now
        else { return (nil, false) }
        return (grant, false)
    }

    private func keep(_ grant: Signed<Grant>) throws {
        try self.grants.files.receive(grant)
        self.awaited.stop(grant.value.sharer)
    }

    // MARK: Replies

    /// Leaves a grant on the server for the author of an invitation, whose program fetches it; a repeated call changes nothing.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses: hand the grant over as text.
    package func leave(_ grant: Signed<Grant>, inReplyTo invitation: Signed<Invitation>) async throws {
        let secret = try LinkSecret(replyTo: invitation, from: self.own.publicIdentity)
        let sealed = try secret.seal(grant, sharer: "", name: "")
        let entry = self.entry(sealed, secret, grant.value.id, until: grant.value.notAfter)
        let response = try await self.messages.send("/v1/links", entry)
        if response.status == 409 {
            let left = try await self.messages.server.fetch("/v1/links/\(secret.address)")
            if left.status == 200, (try? secret.open(left.body).grant) == grant { return }
        }
        try self.messages.server.accepted(response)
    }

    /// Fetches the grants that others left in reply to this person's invitations.
    private func fetchReplies() async throws {
        for (sharer, invitation) in self.awaited.all(now: .now) {
            let (grant, isLimited) = try await self.fetched(
                from: sharer,
                LinkSecret(replyTo: invitation, from: sharer)
            )
            if let grant { try self.keep(grant) }
            guard !isLimited else { return }
        }
    }
}

extension SharingGroup.OnRoster {
    /// The grants to revoke.
    fileprivate var revoked: [GrantID] {
        switch self {
        case .adopt(let grants), .leave(let grants): grants
        case .ignore: []
        }
    }
}
