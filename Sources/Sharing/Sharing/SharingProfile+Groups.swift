internal import WhereaboutsVocabulary

/// The groups of this person (ADR 0124).
extension SharingProfile {
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
        try self.invitation(name: ownName, group: self.groups.join(offer))
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
        switch try self.groups.change(offer.id, { $0.replyReceived(offer, from: member, now: .now) }) {
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
        guard let offer = reply.group, try self.groups.group(offer.id)?.isFounder == true else {
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

    /// Adds the groups that this person's old key joined; in each, the founder confirms the new key by accepting the
    /// person's line.
    ///
    /// Until then, the new key reads the mailbox of the old one. Groups that the old key founded are left out, because
    /// a group accepts no other founder.
    func addGroups(of old: SharingProfile) throws {
        for group in try old.groups.current() where !group.isFounder { try self.groups.addWaiting(group.offer) }
    }
}
