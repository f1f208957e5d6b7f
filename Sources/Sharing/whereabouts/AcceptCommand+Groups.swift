internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Accepts an invitation to a group, and the reply of a new member.
extension AcceptCommand {
    /// Agrees to the terms of a group, and prints the reply.
    func join(_ offer: GroupOffer, _ invitation: Signed<Invitation>) async throws {
        guard self.terms.isUsual else {
            throw SharingError(
                .badText,
                "The invitation is to the group \(offer.name), which has its own terms: \(offer.terms). Leave out the options for terms."
            )
        }
        let founder = try GivenName.checked(
            self.name ?? invitation.value.name,
            bytesMax: Invitation.nameBytesMax
        )
        printTrouble(PrivacyNotice.words(for: self.profile))
        printTrouble(
            "\n\(founder) invites you to the group \(offer.name), through \(PlainText.of(invitation.value.server))."
        )
        printTrouble("Each member may ask where you are: \(offer.terms). You may ask them on the same terms.")
        printTrouble("\(founder) decides who becomes a member. To agree, compare the safety number.")
        try self.compare(offer.founder, founder)
        let ownName = try self.checkedOwnName()
        let file = try self.out.map { try GrantFile(creating: $0) }
        do {
            let profile = try SharingProfile.openOrCreate(path: self.profile.profile, invitation: invitation)
            try profile.call(offer.founder, founder)
            let reply = try profile.join(offer, as: profile.ownName(given: ownName))
            let number = profile.identity.publicIdentity.safetyNumber
            printTrouble(
                "Send \(founder) this line, as \(ownName). Your safety number, for them to compare: \(number)"
            )
            printTrouble("You are a member once \(founder) has accepted it; `whereabouts group` shows that.")
            guard let file else {
                try printLine(reply.text)
                return try printCode(of: reply.text, isWanted: self.qr)
            }
            try file.write(reply.text)
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Confirms a new member.
    func confirm(_ reply: Invitation) async throws {
        let profile = try self.profile.open()
        let offer = try profile.groupOffer(foundedHere: reply)
        try reply.check(now: .now)
        let name = try GivenName.checked(
            self.name ?? profile.name(of: reply.requester) ?? reply.name,
            bytesMax: Invitation.nameBytesMax
        )
        printTrouble("\(name) wants to join \(offer.name). Each member may ask each other: \(offer.terms).")
        try self.compare(reply.requester, name)
        try profile.confirm(reply, as: name)
        try printLine("\(name) is a member of \(offer.name).")
        do {
            try await Waiting.said { try await Sharer(profile: profile).groups.tend() }
        } catch let error as SharingError where error.code == .network {
            throw SharingError(
                .network,
                "\(name) is confirmed, but the server does not know yet. Run `whereabouts group`: \(error.message)"
            )
        }
        printNews(of: profile)
    }
}
