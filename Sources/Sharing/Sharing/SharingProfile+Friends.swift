internal import Foundation
internal import WhereaboutsVocabulary

/// Other people: their invitations, their grants, and the person's names for them.
extension SharingProfile {
    /// Creates an invitation with which the person of this profile asks for a grant.
    ///
    /// - Parameters:
    ///   - name: the person's name, which the other person's program shows.
    ///   - duration: how long the invitation can be accepted.
    ///   - offersGrant: whether the invitation also offers the other person a grant.
    ///   - group: the terms of the group to join; nil for an invitation that asks for a grant.
    /// - Returns: the invitation, which the caller can send over any channel.
    /// - Throws: ``SharingError`` when the name or the time is invalid, the time is too long, or the trust roots cannot be read.
    public func invitation(
        name: String,
        for duration: Duration = .seconds(7 * 86_400),
        offersGrant: Bool = false,
        group: GroupOffer? = nil
    ) throws -> Signed<Invitation> {
        guard duration > .zero else {
            throw SharingError(.badText, "An invitation must be valid for longer than 0 s. Give a longer time.")
        }
        guard duration <= Invitation.lifetimeMax else {
            throw SharingError(.badText, "An invitation is valid for at most 31 days. Give a shorter time.")
        }
        let name = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        let now = WallTime.now
        let trustRoots = try self.settings.trustRoots.map { try TrustRoots.certificates(in: $0) } ?? []
        return try self.identity.sign(
            Invitation(
                requester: self.identity.publicIdentity,
                issued: now,
                expires: now.advanced(by: duration),
                server: self.settings.server,
                trustRoots: trustRoots,
                name: name,
                offersGrant: offersGrant,
                group: group
            )
        )
    }

    /// Opens a profile for the server of an invitation, or creates one.
    ///
    /// - Parameters:
    ///   - path: the profile's directory; missing parent directories are created.
    ///   - invitation: the invitation; its signature has been checked.
    /// - Returns: the profile.
    /// - Throws: ``SharingError`` when the invitation has expired, or the profile uses another server: an invitation must
    ///   not move a profile to another server.
    public static func openOrCreate(path: String, invitation: Signed<Invitation>) throws -> SharingProfile {
        let invitation = invitation.value
        try invitation.check(now: .now)
        let settings = try ServerSettings(server: invitation.server)
        try ProfileOwner.check(path)
        if FileManager.default.fileExists(atPath: path + "/identity.key") {
            let profile = try SharingProfile(path: path)
            guard profile.settings.server == settings.server else {
                throw SharingError(
                    .badProfile,
                    "\(path) uses \(profile.settings.server), and the invitation is for \(settings.server): "
                        + "ask for one of the same server, or give another profile"
                )
            }
            return profile
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SharingError(.badProfile, "\(path) cannot be made (\(error)); give a path in one of your directories")
        }
        guard !invitation.trustRoots.isEmpty else { return try self.openOrCreate(path: path, settings: settings) }
        let trusted = path + "/trusted.pem"
        try ProfileFile.replace(trusted, Array(invitation.trustRoots.map(TrustRoots.pem).joined().utf8))
        return try self.openOrCreate(
            path: path,
            settings: ServerSettings(server: invitation.server, trustRoots: trusted)
        )
    }

    /// Invites a person who may leave a grant on the server in reply; a repeated call returns the same invitation while it is valid.
    ///
    /// - Throws: ``SharingError`` as ``invitation(name:for:offersGrant:group:)`` does, or when it cannot be stored.
    package func invitation(name: String, awaitingReplyFrom sharer: PublicIdentity) throws -> Signed<Invitation> {
        let now = WallTime.now
        let known = self.awaitedReplies.all(now: now).first { $0.sharer == sharer && now < $0.invitation.value.expires }
        if let known { return known.invitation }
        let invitation = try self.invitation(name: name)
        try self.awaitedReplies.add(invitation, to: sharer)
        return invitation
    }

    /// Whether a grant may wait on the server.
    package var awaitsReplies: Bool { !self.awaitedReplies.all(now: .now).isEmpty }

    // MARK: Grants of the person

    /// Finds a grant issued here.
    ///
    /// - Throws: ``SharingError`` when there is none, or it is damaged.
    public func grant(_ id: GrantID) throws -> Signed<Grant> { try self.grantFiles.grant(id) }

    /// Lists the grants issued here, in the order of their ids.
    ///
    /// - Throws: ``SharingError`` naming the first file that is damaged.
    public func grants() throws -> [Signed<Grant>] {
        let (grants, damage) = try self.readableGrants()
        if let first = damage.first { throw first }
        return grants
    }

    /// Lists the readable issued grants, ordered by ID, and the faults of the others.
    public func readableGrants() throws -> (grants: [Signed<Grant>], damage: [SharingError]) {
        try self.grantFiles.readable()
    }

    /// Returns whether a grant was revoked here; true if its file cannot be read, because a failing disk must not
    /// restore a permission.
    public func isRevoked(_ grant: GrantID) -> Bool { self.grantFiles.isRevoked(grant) }

    /// Returns the remaining uses of a grant of this profile; nil when they are unlimited.
    ///
    /// - Throws: ``SharingError`` when the record is damaged.
    public func usesLeft(of grant: Grant) throws -> UInt16? { try self.records().usesLeft(of: grant) }

    // MARK: Grants of others

    /// Stores a received grant, replacing an earlier one from the same person.
    ///
    /// - Parameters:
    ///   - grant: the grant.
    ///   - name: the person's name for the sharer from now on; unchanged, if not given.
    /// - Throws: ``SharingError`` when the grant is for another person, or the name or the grant cannot be stored. Nothing is stored
    ///   then, except the name if only writing the grant failed.
    public func keep(_ grant: Signed<Grant>, from name: String? = nil) throws {
        try self.checkIsOurs(grant)
        if let name { try self.call(grant.value.sharer, name) }
        try self.grantFiles.receive(grant)
        self.awaitedReplies.stop(grant.value.sharer)
    }

    /// Checks that a grant is for the person of this profile, before they compare a safety number for nothing.
    ///
    /// - Throws: ``SharingError`` when the grant is for another person.
    package func checkIsOurs(_ grant: Signed<Grant>) throws {
        guard grant.value.requester == self.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the grant is for somebody else: it must be made for \(self.identity.publicIdentity.text)"
            )
        }
    }

    /// Checks that an invitation is not the person's own.
    ///
    /// - Throws: ``SharingError`` when it is.
    package func checkIsOfOthers(_ invitation: Invitation) throws {
        guard invitation.requester != self.identity.publicIdentity else {
            throw SharingError(.notForUs, "This invitation is your own. Send it to the person whom you invite.")
        }
    }

    /// The received grants, ordered by their sharers' keys.
    ///
    /// - Throws: ``SharingError`` when one of them is damaged.
    public func received() throws -> [Signed<Grant>] { try self.grantFiles.allReceived() }

    /// Deletes a person's grant, the schedules that ask them, and their name; groups do not fetch their grant again.
    ///
    /// - Throws: ``SharingError`` when they may still ask the person of this profile, because they would then have no name; or when a file
    ///   cannot be deleted.
    public func forget(_ identity: PublicIdentity) throws {
        let now = WallTime.now
        let mayAsk = try self.readableGrants().grants.map(\.value).contains {
            $0.requester == identity && $0.notAfter > now && !self.isRevoked($0.id)
        }
        guard !mayAsk else {
            let name = self.name(of: identity) ?? identity.safetyNumber
            throw SharingError(.badText, "\(name) may still ask where you are. Run `whereabouts revoke` first.")
        }
        try self.dropReceived(from: identity)
        try self.names.change { $0[identity.text] = nil }
    }

    /// Gives a friend's new key their name and their place in groups, and deletes what this profile received from the old one.
    ///
    /// The name is moved last, so that this call can be repeated after an error.
    ///
    /// - Parameters:
    ///   - new: the friend's new key.
    ///   - old: their old key.
    ///   - grant: the new key's grant, if it has one.
    /// - Throws: ``SharingError`` when a file cannot be changed.
    public func name(_ new: PublicIdentity, inPlaceOf old: PublicIdentity, grant: GrantID? = nil) throws {
        try self.groups.changeAll { $0.replaced(old, by: new, grant: grant) }
        try self.dropReceived(from: old)
        try self.names.change { names in
            names[new.text] = names.removeValue(forKey: old.text) ?? names[new.text]
        }
    }

    /// Deletes a person's grant, and the schedules that ask them.
    private func dropReceived(from sharer: PublicIdentity) throws {
        for schedule in self.schedules.all(now: .now) where schedule.request.value.grant.value.sharer == sharer {
            self.schedules.drop(schedule.request.value.id)
        }
        try self.groups.changeAll { $0.forgot(sharer) }
        self.awaitedReplies.stop(sharer)
        try self.grantFiles.dropReceived(from: sharer)
    }

    // MARK: Names

    /// The name that the person gave to an identity, in a safe form; nil without one, or if it cannot be read (``namesDamage``).
    public func name(of identity: PublicIdentity) -> String? { self.names.name(of: identity) }

    /// Returns whether a typed name means this identity; case and joiners do not matter.
    public func calls(_ identity: PublicIdentity, _ typed: String) -> Bool {
        [self.name(of: identity), self.title(of: identity)].compactMap { $0 }.contains { GivenName.matches(typed, $0) }
    }

    /// The other people who have a name.
    package func namedPeople() throws -> [PublicIdentity] {
        try self.names.all().keys.sorted().compactMap { try? PublicIdentity(text: $0) }
            .filter { $0 != self.identity.publicIdentity && !self.isLink($0) }
    }

    /// The error of the file of names, if it is damaged; then no identity has a name.
    public var namesDamage: SharingError? { self.names.damage }

    /// Records the name that the person gives to an identity.
    ///
    /// - Throws: ``SharingError`` when the name is invisible, contains control characters, is too long, is taken, or
    ///   cannot be stored; or when the stored names cannot be read. They stay unchanged then.
    public func call(_ identity: PublicIdentity, _ name: String) throws { try self.names.call(identity, name) }

    // MARK: Links

    /// Returns whether a requester is a link, not a person.
    public func isLink(_ requester: PublicIdentity) -> Bool { self.linkFiles.isLink(requester) }

    /// The name of a requester, with the word "link" before a link's; nil without a name.
    public func title(of requester: PublicIdentity) -> String? {
        self.name(of: requester).map { self.isLink(requester) ? "link \($0)" : $0 }
    }

    /// Stores a posted link without its secret, to post it again if the server loses it, with its name and its grant.
    ///
    /// The grant is stored last: a stored grant has a name, and is known as a link's.
    func keep(_ link: Signed<LinkedGrant>, _ grant: Signed<Grant>, called name: String) throws {
        try self.linkFiles.keep(link, of: grant.value.requester)
        try self.call(grant.value.requester, name)
        try self.grantFiles.record(grant)
    }

    /// Deletes a link that was not handed out.
    func drop(_ link: Grant) {
        self.linkFiles.drop(link.requester)
        self.grantFiles.drop(link.id)
        try? self.forget(link.requester)
    }
}
