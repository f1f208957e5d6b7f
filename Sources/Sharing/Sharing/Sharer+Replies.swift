internal import WhereaboutsVocabulary

/// Joins two people in both directions by two lines: the second person's grant reaches the first one over the server.
extension Sharer {
    /// Leaves a grant on the server for the author of an invitation, whose program fetches it; a repeated call changes nothing.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses: hand the grant over as text.
    package func leave(_ grant: Signed<Grant>, inReplyTo invitation: Signed<Invitation>) async throws {
        let secret = try LinkSecret(replyTo: invitation, from: self.profile.identity.publicIdentity)
        let sealed = try secret.seal(grant, sharer: "", name: "")
        let entry = self.entry(sealed, secret, grant.value.id, until: grant.value.notAfter)
        let response = try await self.server.post("/v1/links", self.profile.identity.sign(entry).bytes)
        if response.status == 409 {
            let left = try await self.server.fetch("/v1/links/\(secret.address)")
            if left.status == 200, (try? secret.open(left.body).grant) == grant { return }
        }
        guard (200..<300).contains(response.status) else { throw self.server.rejected(response) }
    }

    /// Fetches the grants that others left in reply to this person's invitations.
    func fetchReplies() async throws {
        for (sharer, invitation) in self.profile.awaitedReplies.all(now: .now) {
            let (grant, isLimited) = try await self.fetched(
                from: sharer,
                LinkSecret(replyTo: invitation, from: sharer)
            )
            if let grant { try self.profile.keep(grant) }
            guard !isLimited else { return }
        }
    }
}
