internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Accepts the new key of a friend.
extension AcceptCommand {
    /// Replaces a friend's old key with their new one, which the old key signed, directly or by the keys between them.
    func follow(_ successions: [Signed<KeySuccession>], _ grant: Signed<Grant>?) async throws {
        guard self.replaces == nil else {
            throw ValidationError("The line says whose key it replaces; leave out --replaces.")
        }
        let profile = try self.profile.open()
        let (old, new, name) = try profile.known(in: successions)
        if let grant { try profile.checkIsOurs(grant) }
        try self.confirm(new, name)
        let file = try self.out.map { try GrantFile(creating: $0) }
        do {
            let given = try await self.replaced(old, by: new, Sharer(profile: profile))
            if let grant { try profile.keep(grant) }
            try profile.name(new, inPlaceOf: old, grant: given?.value.id)
            // The founder of a group posts the new key to its members.
            await tendGroups(of: profile)
            let words = grant.map { _ in "; ask with: \(self.command(toAsk: name))" } ?? ""
            guard let given else { return try printLine("\(name)'s new key took the old one's place\(words)") }
            printTrouble("\(name)'s new key took the old one's place\(words)")
            printTrouble("\(name) may ask where you are as before: \(given.value.terms). Send \(name) this line:")
            try deliver(given, to: file, profile: self.profile.profile)
            if file == nil { try printCode(of: given.text, isWanted: self.qr) }
        } catch {
            file?.remove()
            throw error
        }
    }

    private func confirm(_ new: PublicIdentity, _ name: String) throws {
        printTrouble(
            "\(name) has a new key, and their old key confirms it. Anyone who has the old key, such as the finder of a lost phone, could "
                + "have sent this line."
        )
        if self.yes { return }
        if self.safetyNumber != nil { return try self.compare(new, name) }
        guard isatty(STDIN_FILENO) == 1 else {
            throw SharingError(.badText, "Not a terminal: pass --yes if \(name) told you about the new key.")
        }
        printTrouble("Did \(name) tell you about it? Type yes:")
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
            throw SharingError(.badText, "Nothing was changed.")
        }
    }

    private func replaced(
        _ old: PublicIdentity,
        by new: PublicIdentity,
        _ sharer: Sharer
    ) async throws -> Signed<Grant>? {
        do {
            return try await sharer.accept(new, inPlaceOf: old)
        } catch let error as SharingError where error.code == .network {
            throw SharingError(
                .network,
                "This device refuses the old key from now on, but the server does not know yet. Run this again: \(error.message)"
            )
        }
    }

    /// Revokes the grants of a person's old key, and deletes the key, so that their name is free for the new one.
    func retire(_ old: PublicIdentity, inPlaceOf new: PublicIdentity, by sharer: Sharer) async throws {
        guard old != new else {
            throw SharingError(.badText, "The invitation is from the same key; leave out --replaces.")
        }
        do {
            try await sharer.revokeAll(of: old)
        } catch let error as SharingError where error.code == .network {
            throw SharingError(
                .network,
                "This device refuses the old key from now on, but the server does not know yet. Run this command again: \(error.message)"
            )
        }
        try sharer.profile.forget(old)
    }

    /// The name of the person whose key is replaced.
    func replacedName(_ old: PublicIdentity?) throws -> String? {
        try old.flatMap { try self.profile.open().name(of: $0) }
    }

    /// Finds the sharer or requester with this name.
    static func friend(_ name: String, in profile: SharingProfile) throws -> PublicIdentity {
        let people = try profile.received().map(\.value.sharer) + profile.readableGrants().grants.map(\.value.requester)
        guard let friend = people.first(where: { profile.calls($0, name) }) else {
            throw SharingError(
                .unknownName,
                "You know nobody called '\(PlainText.of(name))'. `whereabouts friends` lists the people you know."
            )
        }
        return friend
    }
}
