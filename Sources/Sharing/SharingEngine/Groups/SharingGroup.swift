package import WhereaboutsVocabulary

/// A group whose members may all ask each other, as the profile of one member knows it (ADR 0124).
///
/// The founder confirms each new member and posts a signed roster for every member. A member who reads of a new member issues an
/// ordinary grant for them, posts it to the server, and fetches theirs. The host performs ``steps(received:isRevoked:now:)`` and
/// reports each result. A step may be repeated after a crash, which does no harm.
package struct SharingGroup: Sendable, Hashable {
    /// The maximum number of members, with the founder.
    ///
    /// Source: our choice; a sealed entry on the server has room for their keys and names, and the entries of a founder, two for each
    /// member, leave a third of a sharer's links.
    package static let membersMax = 12
    /// The maximum number of bytes of the name of a group or of a member; a longer one is cut.
    ///
    /// Source: our choice; 12 members fit into a sealed entry.
    package static let nameBytesMax = 32

    package enum State: Sendable, Hashable {
        /// The person agreed to the terms, and the founder has not confirmed them yet.
        case waiting
        /// The founder confirmed this member, or this member is the founder.
        case member(number: UInt64, seed: [UInt8])
        /// The founder removed this member.
        case removed
    }

    /// Another member.
    package struct Peer: Sendable, Hashable {
        package let member: GroupRoster.Member
        /// The secret of the entry for their rosters; empty unless this member is the founder.
        package var mailbox: [UInt8] = []
        /// The grant that they received as a member.
        package var grant: GrantID?
        /// Whether the person of this profile was notified that this member may ask.
        package var isTold = false
        /// Whether the person of this profile deleted this member, so that their grant is not fetched again.
        package var isForgotten = false
        /// Until when the server stores the grant for them; nil: it may not have the grant.
        package var grantPostedUntil: WallTime?
        /// Until when the server stores the roster for them; nil: it may not have the roster.
        package var rosterPostedUntil: WallTime?

        package init(_ member: GroupRoster.Member) { self.member = member }
    }

    /// The terms that the person agreed to, with their own mailbox if they are not the founder.
    package let offer: GroupOffer
    package let own: PublicIdentity
    package private(set) var state: State
    package private(set) var peers: [Peer]
    /// The former members whose grants the person had revoked: they get no new grant if the founder confirms them again.
    ///
    /// The list grows only by the person's own revocations.
    package private(set) var former: [Peer]

    /// Restores a stored group.
    package init(_ offer: GroupOffer, of own: PublicIdentity, state: State, peers: [Peer] = [], former: [Peer] = []) {
        self.offer = offer
        self.own = own
        self.state = state
        self.peers = peers
        self.former = former
    }

    package var isFounder: Bool { self.own == self.offer.founder }

    /// Creates the founder's roster, with the founder's own name for themselves.
    package func roster(foundedBy name: String) -> GroupRoster? {
        guard self.isFounder, case .member(let number, let seed) = self.state else { return nil }
        return GroupRoster(
            group: self.offer.id,
            founder: self.own,
            number: number,
            seed: seed,
            members: [GroupRoster.Member(person: self.own, name: name)] + self.peers.map(\.member)
        )
    }

    // MARK: The founder

    /// Actions returned by ``replyReceived(_:from:now:)``.
    package enum OnReply: Sendable, Hashable {
        /// Post rosters for the new member, and for the others.
        case confirm
        /// Say that the group has the maximum number of members.
        case full
        /// Say that the person of this profile is not the founder of the reply's group.
        case notOurs
        /// Say that the group's time is over.
        case over
    }

    /// Records that the founder confirms a person who agreed to the terms; the signature of the reply has been checked.
    package mutating func replyReceived(_ offer: GroupOffer, from member: GroupRoster.Member, now: WallTime) -> OnReply
    {
        guard case .member(let number, let seed) = self.state, self.isFounder,
            offer.id == self.offer.id, !offer.mailbox.isEmpty, member.person != self.own
        else { return .notOurs }
        guard now < self.offer.notAfter else { return .over }
        var peer = Peer(member)
        if let index = self.index(of: member.person) {
            // A known member replies again after losing their profile, or after accepting the invitation twice.
            peer = self.peers.remove(at: index)
        }
        guard self.peers.count + 2 <= Self.membersMax else { return .full }
        peer.mailbox = offer.mailbox
        peer.isForgotten = false
        self.peers.append(peer)
        self.changeRoster(from: number, seed: seed)
        return .confirm
    }

    private mutating func changeRoster(from number: UInt64, seed: [UInt8]) {
        self.state = .member(number: number + 1, seed: seed)
        for index in self.peers.indices { self.peers[index].rosterPostedUntil = nil }
    }

    /// Removes a member.
    ///
    /// - Returns: the removed member; nil when the person is not a member, or the owner of this profile is not the founder.
    package mutating func removed(_ person: PublicIdentity) -> Peer? {
        guard self.isFounder, case .member(let number, let seed) = self.state, let index = self.index(of: person)
        else { return nil }
        self.changeRoster(from: number, seed: seed)
        return self.peers.remove(at: index)
    }

    // MARK: The person of this profile

    /// Records that this person deleted a member, who stays a member.
    package mutating func forgot(_ person: PublicIdentity) {
        if let index = self.index(of: person) { self.peers[index].isForgotten = true }
    }

    /// Records that a member has a new key, which their old key confirmed; the founder's next roster names it.
    ///
    /// The member keeps their mailbox, which is in their new profile, too.
    ///
    /// - Parameters:
    ///   - old: the key in the current roster.
    ///   - new: the key that replaces it.
    ///   - grant: the grant that replaced the old key's; nil if they had no grant; they get none in the group either.
    package mutating func replaced(_ old: PublicIdentity, by new: PublicIdentity, grant: GrantID?) {
        guard case .member(let number, let seed) = self.state, let index = self.index(of: old),
            self.index(of: new) == nil
        else { return }
        var peer = Peer(GroupRoster.Member(person: new, name: self.peers[index].member.name))
        (peer.mailbox, peer.isTold) = (self.peers[index].mailbox, true)
        peer.grant = grant ?? self.peers[index].grant
        self.peers[index] = peer
        if self.isFounder { self.changeRoster(from: number, seed: seed) }
    }

    // MARK: A member

    /// Actions returned by ``rosterReceived(_:isRevoked:)``.
    package enum OnRoster: Sendable, Hashable {
        /// Revoke the grants of former members.
        case adopt(revoke: [GrantID])
        /// Revoke all grants of the group: this member was removed.
        case leave(revoke: [GrantID])
        /// Ignore it: the roster is not newer than the known one, or belongs to another group.
        case ignore
    }

    /// Records a roster of the founder; a server may show an old one again.
    package mutating func rosterReceived(
        _ roster: Verified<GroupRoster>,
        isRevoked: (GrantID) -> Bool
    ) -> OnRoster {
        let roster = roster.value
        let last: UInt64
        switch self.state {
        case .waiting: last = 0
        case .member(let number, _): last = number
        case .removed: return .ignore
        }
        guard roster.group == self.offer.id, roster.founder == self.offer.founder, roster.number > last,
            !self.isFounder
        else { return .ignore }
        // A person who waits with a new key finds the last roster of their old key.
        let isMember = roster.members.contains { $0.person == self.own }
        if self.state == .waiting, !isMember { return .ignore }
        guard isMember else {
            defer { (self.state, self.peers, self.former) = (.removed, [], []) }
            return .leave(revoke: self.peers.compactMap(\.grant))
        }
        let (before, known) = (self.peers, self.peers + self.former)
        self.state = .member(number: roster.number, seed: roster.seed)
        self.peers = roster.members.filter { $0.person != self.own }.map { member in
            known.first { $0.member.person == member.person } ?? Peer(member)
        }
        let gone = before.filter { self.index(of: $0.member.person) == nil }
        let former = self.former + gone.filter { $0.grant.map(isRevoked) ?? false }
        self.former = former.filter { self.index(of: $0.member.person) == nil }
        return .adopt(revoke: gone.compactMap(\.grant))
    }

    // MARK: Steps

    /// Something to do for another member.
    package enum Step: Sendable, Hashable {
        /// Post the roster to their mailbox, replacing an earlier one.
        case postRoster(Peer)
        /// Post their grant for them; if they have none, issue one first.
        case postGrant(Peer)
        /// Fetch their grant.
        case look(Peer)
    }

    /// Returns the steps to perform; steps for which other members wait come first.
    ///
    /// - Parameters:
    ///   - received: until when a person's grant for this member lasts.
    ///   - isRevoked: whether a grant was revoked; a revoked one is never replaced.
    ///   - now: the time.
    /// - Returns: the steps.
    package func steps(
        received: [PublicIdentity: WallTime],
        isRevoked: (GrantID) -> Bool,
        now: WallTime
    ) -> [Step] {
        guard case .member = self.state, now < self.offer.notAfter else { return [] }
        func isMissing(_ until: WallTime?) -> Bool { until.map { $0 <= now } ?? true }
        let rosters = self.peers.filter { self.isFounder && isMissing($0.rosterPostedUntil) }
        let grants = self.peers.filter { isMissing($0.grantPostedUntil) && !($0.grant.map(isRevoked) ?? false) }
        let looks = self.peers.filter { !$0.isForgotten }.filter {
            received[$0.member.person].map { $0 < self.offer.notAfter } ?? true
        }
        return rosters.map(Step.postRoster) + grants.map(Step.postGrant) + looks.map(Step.look)
    }

    /// Records the grant that a member received; a member without one gets it from `make`.
    package mutating func granted(to person: PublicIdentity, _ make: () throws -> GrantID) rethrows {
        guard let index = self.index(of: person), self.peers[index].grant == nil else { return }
        self.peers[index].grant = try make()
    }

    /// Records that the server has a member's grant.
    package mutating func grantPosted(to person: PublicIdentity, until end: WallTime) {
        guard let index = self.index(of: person) else { return }
        self.peers[index].grantPostedUntil = end.wholeMilliseconds
    }

    /// Records that the server has a member's roster; nothing if a newer one exists.
    package mutating func rosterPosted(_ posted: UInt64, to person: PublicIdentity, until end: WallTime) {
        guard case .member(posted, _) = self.state, let index = self.index(of: person) else { return }
        self.peers[index].rosterPostedUntil = end.wholeMilliseconds
    }

    /// Records that the server may have lost all entries.
    package mutating func serverForgot() {
        for index in self.peers.indices {
            (self.peers[index].grantPostedUntil, self.peers[index].rosterPostedUntil) = (nil, nil)
        }
    }

    /// Records that the person was notified of everyone who may ask.
    ///
    /// - Returns: the members of whom they had not been notified yet.
    package mutating func told() -> [Peer] {
        let news = self.peers.filter { $0.grant != nil && !$0.isTold }
        for index in self.peers.indices where self.peers[index].grant != nil { self.peers[index].isTold = true }
        return news
    }

    private func index(of person: PublicIdentity) -> Int? {
        self.peers.firstIndex { $0.member.person == person }
    }
}
