internal import Foundation
internal import WhereaboutsVocabulary

/// The groups of this person (ADR 0124).
extension SharingProfile {
    private func groupPath(_ id: GroupID) -> String { "\(self.path)/groups/\(id)" }

    /// The groups, ordered by identifier.
    ///
    /// - Throws: ``SharingError`` naming the first file that is damaged.
    package func groups() throws -> [SharingGroup] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path + "/groups")) ?? []
        return try names.sorted().compactMap { GroupID($0) }.compactMap(self.group)
    }

    /// Returns a group; nil without one.
    package func group(_ id: GroupID) throws -> SharingGroup? {
        let path = self.groupPath(id)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let bytes = FileManager.default.contents(atPath: path).map { [UInt8]($0) }
        guard let bytes, let group = try? SharingGroup(bytes: bytes, of: self.identity.publicIdentity) else {
            throw SharingError(
                .badProfile,
                "\(path) is damaged: expected a group. Restore it from a backup, or delete it and join the group again; "
                    + "`whereabouts grants` lists the grants that you gave to its members."
            )
        }
        return group
    }

    /// Finds a group by the name that a person types.
    ///
    /// - Throws: ``SharingError`` when there is none.
    package func group(called name: String) throws -> SharingGroup {
        guard let group = try self.groups().first(where: { GivenName.matches(name, $0.offer.name) }) else {
            throw SharingError(
                .unknownName,
                "There is no group '\(PlainText.of(name))'. `whereabouts group` lists yours; --create makes one."
            )
        }
        return group
    }

    /// Founds a group, of which this person is the first member.
    ///
    /// - Throws: ``SharingError`` when the name is invalid or taken, or a grant cannot have this duration.
    package func foundGroup(called name: String, precision: Precision, for duration: Duration) throws -> SharingGroup {
        let name = try GivenName.checked(name, bytesMax: SharingGroup.nameBytesMax)
        guard duration > .zero, duration <= SharingPolicy.grantLifetimeMax else {
            throw SharingError(
                .badText,
                "A group lasts longer than 0 s and at most 3653 days. Give an end in that range."
            )
        }
        var generator = SystemRandomNumberGenerator()
        let own = self.identity.publicIdentity
        let offer = GroupOffer(
            id: GroupID(using: &generator),
            founder: own,
            name: name,
            precision: precision,
            notAfter: .now.advanced(by: duration)
        )
        let group = SharingGroup(offer, of: own, state: .member(number: 1, seed: LinkSecret.drawnSeed()))
        try self.add(group)
        return group
    }

    /// Agrees to the terms of a group, and returns the reply for its founder.
    ///
    /// A repeated call returns the same reply with a new time.
    ///
    /// - Parameters:
    ///   - offer: the terms, from the founder's invitation, whose signature has been checked.
    ///   - ownName: the person's name for themselves.
    /// - Returns: the reply.
    /// - Throws: ``SharingError`` when there is another group of this name, or it cannot be stored.
    package func join(_ offer: GroupOffer, as ownName: String) throws -> Signed<Invitation> {
        if let known = try self.group(offer.id), known.state != .removed {
            return try self.invitation(name: ownName, group: known.offer)
        }
        var joined = offer
        joined.mailbox = LinkSecret.drawnSeed()
        try self.add(SharingGroup(joined, of: self.identity.publicIdentity, state: .waiting))
        return try self.invitation(name: ownName, group: joined)
    }

    /// Confirms a new member of a group that this person founded.
    ///
    /// - Parameters:
    ///   - reply: the new member's invitation, whose signature has been checked.
    ///   - name: this person's name for them, which the other members see, too.
    /// - Throws: ``SharingError`` when the group is another person's, is full or has ended, or the name is taken.
    package func confirm(_ reply: Invitation, as name: String) throws {
        let offer = try self.groupOffer(foundedHere: reply)
        try self.call(reply.requester, name)
        let member = GroupRoster.Member(person: reply.requester, name: name)
        switch try self.changeGroup(offer.id, { $0.replyReceived(offer, from: member, now: .now) }) {
        case .confirm: return
        case .notOurs, nil: throw Self.notFounder(offer)
        case .over: throw SharingError(.badText, "The group \(offer.name) has ended. Make a new one.")
        case .full:
            throw SharingError(
                .badText,
                "The group \(offer.name) has \(SharingGroup.membersMax) members, the maximum. Remove one first: `whereabouts group`."
            )
        }
    }

    /// Returns the group of a reply.
    ///
    /// - Throws: ``SharingError`` when another person founded it.
    package func groupOffer(foundedHere reply: Invitation) throws -> GroupOffer {
        guard let offer = reply.group, try self.group(offer.id)?.isFounder == true else {
            throw Self.notFounder(reply.group)
        }
        return offer
    }

    private static func notFounder(_ offer: GroupOffer?) -> SharingError {
        SharingError(
            .notForUs,
            "This line is for the founder of the group \(offer?.name ?? ""), whose profile made the invitation. Send it to them."
        )
    }

    /// Gives a new member a name: the name that the founder gave, with a number if it is taken; a known person keeps theirs.
    func name(_ member: GroupRoster.Member) throws {
        guard self.name(of: member.person) == nil else { return }
        let name = GivenName.shown(member.name, bytesMax: SharingGroup.nameBytesMax)
        try self.changeNames { names in
            names[member.person.text] = (1...).lazy.map { $0 == 1 ? name : "\(name) \($0)" }
                .first { name in !names.values.contains { GivenName.matches(name, $0) } }
        }
    }

    /// Adds the groups that this person's old key joined; in each, the founder confirms the new key by accepting the
    /// person's line.
    ///
    /// Until then, the new key reads the mailbox of the old one. Groups that the old key founded are left out, because
    /// a group accepts no other founder.
    func addGroups(of old: SharingProfile) throws {
        for group in try old.currentGroups() where !group.isFounder {
            try self.add(SharingGroup(group.offer, of: self.identity.publicIdentity, state: .waiting))
        }
    }

    /// The groups that have not ended, and from which this person was not removed.
    package func currentGroups() throws -> [SharingGroup] {
        try self.groups().filter { $0.state != .removed && .now < $0.offer.notAfter }
    }

    // MARK: Files

    private func add(_ group: SharingGroup) throws {
        let directory = self.path + "/groups"
        try ProfileFile.makeDirectory(directory)
        try FileLock.hold(self.path + "/groups.lock") {
            let others = try self.groups().filter { $0.offer.id != group.offer.id }
            if let taken = others.map(\.offer.name).first(where: { GivenName.matches($0, group.offer.name) }) {
                throw SharingError(.badText, GivenName.taken(group.offer.name, "You are in a group", called: taken))
            }
            try ProfileFile.replace(self.groupPath(group.offer.id), group.bytes)
        }
    }

    /// Changes a group under a lock between processes; returns nil if the group was deleted.
    @discardableResult
    func changeGroup<Action>(_ id: GroupID, _ body: (inout SharingGroup) throws -> Action) throws -> Action? {
        try FileLock.hold(self.path + "/groups.lock") {
            guard let before = try self.group(id) else { return nil }
            var group = before
            let action = try body(&group)
            if group != before { try ProfileFile.replace(self.groupPath(id), group.bytes) }
            return action
        }
    }

    /// Changes all groups, each by itself.
    @discardableResult
    package func changeGroups<Action>(_ body: (inout SharingGroup) throws -> Action) throws -> [Action] {
        try self.groups().compactMap { try self.changeGroup($0.offer.id, body) }
    }

    func dropGroup(_ id: GroupID) throws {
        do {
            try FileManager.default.removeItem(atPath: self.groupPath(id))
        } catch {
            throw SharingError(.badProfile, "\(self.groupPath(id)) cannot be deleted (\(error)); check its owner")
        }
    }
}
