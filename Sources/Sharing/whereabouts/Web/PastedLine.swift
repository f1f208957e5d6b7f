internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The content of a line that a person pasted, which they read before they accept it.
///
/// `whereabouts accept` prints the same before it asks to compare safety numbers.
struct PastedLine: Encodable {
    enum Kind: String, Encodable {
        /// Its sender wants to ask.
        case invitation
        /// Its sender invites to a group.
        case group
        /// Its sender wants to become a member of the person's group.
        case member
        /// The person may ask its sender.
        case grant
        /// The key that replaces a friend's key.
        case key
    }

    /// The terms of a grant, or of each grant in a group.
    struct Terms: Encodable {
        let precision: String
        let until: Moment
        var atMostEverySeconds: UInt32 = 0
        var hours: GrantHours?
        var uses: UInt16?
        var asksPerson = false
        var followMinutes: UInt16?
    }

    let kind: Kind
    /// The sender's name, as the profile or the line has it; absent if there is none.
    let name: String?
    /// Whether the profile has a name for the sender's key.
    let isKnown: Bool
    /// The number to compare.
    let safetyNumber: String
    /// The server of an invitation.
    private(set) var server: String?
    /// The name of the group.
    private(set) var group: String?
    /// The terms that the line itself contains.
    private(set) var terms: Terms?
    /// Whether both may ask each other after both agreed.
    private(set) var isForBoth = false

    /// Reads a line.
    ///
    /// - Throws: ``SharingError`` when the line is malformed, has expired, or is for another person.
    init(_ text: String, in profile: SharingProfile) throws {
        guard HandedText.begins(text) else {
            throw SharingError(
                .badText,
                "The text is not a line of whereabouts. Copy the whole line that was sent; "
                    + "it begins with whereabouts: or grant-v1."
            )
        }
        let line = try HandedText(text: text)
        let (name, sender): (String?, PublicIdentity)
        if !line.successions.isEmpty {
            self.kind = .key
            let known = try profile.known(in: line.successions)
            (name, sender) = (known.name, known.new)
        } else if let grant = line.grant {
            try profile.checkIsOurs(grant)
            self.kind = .grant
            sender = grant.value.sharer
            name = profile.name(of: sender) ?? line.invitation?.value.name
            self.isForBoth = line.invitation != nil
        } else if let invitation = line.invitation?.value {
            if invitation.group?.mailbox.isEmpty == false {
                _ = try profile.groupOffer(foundedHere: invitation)
            } else {
                try profile.checkIsOfOthers(invitation)
            }
            try invitation.check(now: .now)
            sender = invitation.requester
            name = profile.name(of: sender) ?? invitation.name
            self.server = PlainText.of(invitation.server)
            self.isForBoth = invitation.offersGrant
            if let group = invitation.group {
                self.kind = group.mailbox.isEmpty ? .group : .member
                self.group = group.name
                self.terms = Terms(precision: "\(group.precision)", until: Moment(group.notAfter))
            } else {
                self.kind = .invitation
            }
        } else {
            preconditionFailure("a line has a part")
        }
        self.terms = line.grant.map { Terms($0.value) } ?? self.terms
        self.name = name
        self.isKnown = profile.name(of: sender) != nil
        self.safetyNumber = sender.safetyNumber
    }
}

extension PastedLine.Terms {
    fileprivate init(_ grant: Grant) {
        self.init(
            precision: "\(grant.precision)",
            until: Moment(grant.notAfter),
            atMostEverySeconds: grant.intervalMin,
            hours: grant.hours.map(GrantHours.init),
            uses: grant.usesMax,
            asksPerson: grant.asksPerson,
            followMinutes: grant.followMinutesMax
        )
    }
}
