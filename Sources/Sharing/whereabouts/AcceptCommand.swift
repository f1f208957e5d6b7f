internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts accept`: accepts an invitation, a grant or a new key.
struct AcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept an invitation, a grant or a friend's new key.",
        discussion: """
            An invitation: its sender may then ask where you are. Prints a grant; send it back. Makes your profile if there is none, for the \
            invitation's server. The same command prints the same grant again. If the invitation is for both directions, the line also \
            holds an invitation of your own, and the sender's grant reaches you over the server once they have accepted the line.
            An invitation to a group: its members may then ask where you are, and you may ask them. Prints a reply; send it back.
            A reply to your invitation to a group: its sender becomes a member.
            A grant: you may ask its sender from now on, with `whereabouts ask NAME`. If it comes with an invitation, you are asked \
            whether its sender may ask where you are, too.
            A friend's new key, confirmed by their old key: it takes the old key's place, and the old key may not ask you any more. \
            Prints a grant for the new key if the old one had a grant; send it back.

            You compare a safety number with the sender, in person or by voice, unless you know their key already. Scripts pass \
            --safety-number with the number that the sender sees, or --yes to skip the check.

            Exit codes:
              0  accepted
              1  nothing was accepted, or the server was not reached: run it again
            """
    )

    @Argument(help: ArgumentHelp("The line that you received, or a file that contains it.", valueName: "line|file"))
    var text: String
    @OptionGroup var profile: ProfileOption
    @Option(
        help: ArgumentHelp(
            "The name to give the sender [default: the invitation's name, or the name you already use].",
            valueName: "name"
        )
    )
    var name: String?
    @Option(
        help: ArgumentHelp(
            "The sender has a new key: revoke the old key's grants, and give the sender this person's name.",
            valueName: "name"
        )
    )
    var replaces: String?
    @Flag(help: "If a grant comes with an invitation, let its sender ask where you are, too, without a prompt.")
    var both = false
    @OptionGroup var ownName: OwnNameOption
    @OptionGroup var terms: TermsOption
    @Option(
        help: ArgumentHelp(
            "Write the line to send back to this new file instead of standard output.",
            valueName: "file"
        )
    )
    var out: String?
    @Flag(help: "Print the QR code of the line even if it is wider than the terminal, or there is no terminal.")
    var qr = false
    @Option(help: ArgumentHelp("Accept only if the safety number is this one.", valueName: "number"))
    var safetyNumber: String?
    @Flag(help: "Skip the safety-number check. Anyone who tampered with the text in transit could then locate you.")
    var yes = false

    func validate() throws {
        guard !self.qr || self.out == nil else { throw ValidationError("--qr prints a code; leave out --out") }
        // Report a malformed number as a usage error: a mismatch would suggest that the text was exchanged.
        guard let told = self.safetyNumber, told.filter(\.isNumber).count != Self.digits else { return }
        throw ValidationError(
            "'\(PlainText.of(told))' is not a safety number. It has six groups of five digits, as the sender's program shows them."
        )
    }

    /// The digits of a safety number.
    private static let digits = 30

    func run() async throws {
        let line = try Self.read(self.text)
        if !line.successions.isEmpty {
            try await self.follow(line.successions, line.grant)
        } else if let grant = line.grant {
            try await self.keep(grant, line.invitation)
        } else if let invitation = line.invitation {
            // The founder's invitation has no mailbox.
            let isReply = invitation.value.group?.mailbox.isEmpty == false
            if isReply { return try await self.confirm(invitation.value) }
            try await self.answer(invitation)
        }
    }

    /// Returns the text itself, or the contents of the file.
    private static func read(_ text: String) throws -> HandedText {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw SharingError(.badText, "the text is empty: give the line that was sent, or a file that contains it")
        }
        if HandedText.begins(trimmed), !FileManager.default.fileExists(atPath: text) {
            return try HandedText(text: trimmed)
        }
        guard FileManager.default.fileExists(atPath: text) else {
            // The error for an invalid grant would mislead people who mistyped a file's name.
            throw SharingError(
                .badText,
                "there is no file \(text.shown(bytesMax: 200)), and it is not a link or grant either; check the path, or give the whole line that was sent"
            )
        }
        guard let contents = try? String(contentsOfFile: text, encoding: .utf8) else {
            throw SharingError(
                .badProfile,
                "\(text) cannot be read as text. It must contain the line that was sent; check the path."
            )
        }
        return try HandedText(text: contents)
    }

    // MARK: An invitation

    private func answer(_ invitation: Signed<Invitation>) async throws {
        let requester = invitation.value.requester
        let old = try self.replaces.map { try Self.friend($0, in: self.profile.open()) }
        // Check the name before anything is created; otherwise an invalid name would leave a profile without a grant.
        let name = try Self.checked(self.name ?? self.replacedName(old) ?? invitation.value.name)
        try (try? self.profile.open())?.checkIsOfOthers(invitation.value)
        // Check the invitation before the person reads and compares numbers.
        try invitation.value.check(now: .now)
        if let group = invitation.value.group { return try await self.join(group, invitation) }
        printTrouble(PrivacyNotice.words(for: self.profile))
        printTrouble("\n\(name) wants to ask where you are, through \(PlainText.of(invitation.value.server)).")
        try self.compare(requester, name)
        let ownName = try invitation.value.offersGrant ? self.checkedOwnName() : nil
        // Open the file before making the grant. Otherwise a failure would leave a valid grant that no one received.
        let file = try self.out.map { try GrantFile(creating: $0) }
        do {
            let sharer = try Sharer(
                profile: SharingProfile.openOrCreate(path: self.profile.profile, invitation: invitation)
            )
            if let old { try await self.retire(old, inPlaceOf: requester, by: sharer) }
            try sharer.profile.call(requester, name)
            // Make the invitation before the grant, too.
            let own = try ownName.map {
                try sharer.profile.invitation(name: sharer.profile.ownName(given: $0), awaitingReplyFrom: requester)
            }
            let grant = try self.grant(for: invitation.value, by: sharer)
            try self.handOver(grant, with: own, to: name, file, sharer.profile)
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Makes the grant that an invitation asks for, or returns the grant of an earlier acceptance.
    ///
    /// A second grant would survive the revocation of the first one.
    private func grant(for invitation: Invitation, by sharer: Sharer) throws -> Signed<Grant> {
        guard let given = try self.terms.grant(madeFor: invitation, in: sharer.profile) else {
            return try self.terms.approve(invitation.requester, by: sharer)
        }
        printTrouble("You accepted this before. The line below has the same grant, with the same end.")
        return given
    }

    /// Prints what a grant allows, and the grant.
    private func handOver(
        _ grant: Signed<Grant>,
        with invitation: Signed<Invitation>? = nil,
        to name: String,
        _ file: GrantFile?,
        _ profile: SharingProfile
    ) throws {
        self.describe(grant, to: name, profile)
        if let own = invitation?.value.name {
            printTrouble("\(name) offers to let you ask, too: the line also invites \(name), as \(own).")
        }
        printTrouble(
            "Send \(name) this line. Your safety number, for them to compare: \(profile.identity.publicIdentity.safetyNumber)"
        )
        try deliver(grant, with: invitation, to: file, profile: self.profile.profile)
        if file == nil { try printCode(of: HandedText.text(grant: grant, invitation: invitation), isWanted: self.qr) }
    }

    private func describe(_ grant: Signed<Grant>, to name: String, _ profile: SharingProfile) {
        printTrouble("\(name) may know where you are: \(grant.value.terms). `whereabouts revoke` ends it.")
        printOthers(to: grant.value.requester, besides: grant.value.id, called: name, in: profile)
    }

    // MARK: A grant

    private func keep(_ grant: Signed<Grant>, _ invitation: Signed<Invitation>?) async throws {
        let profile = try self.profile.open()
        let sharer = grant.value.sharer
        try profile.checkIsOurs(grant)
        let count = try profile.received().count
        let old = try self.replaces.map { try Self.friend($0, in: profile) }
        guard old != sharer else {
            throw SharingError(.badText, "The grant is from the same key; leave out --replaces.")
        }
        let known = profile.name(of: sharer)
        let name = try Self.checked(
            self.name ?? self.replacedName(old) ?? known ?? invitation?.value.name ?? "friend-\(count + 1)"
        )
        printTrouble("\(name) lets you ask where they are: \(grant.value.terms).")
        if let known, self.safetyNumber == nil {
            printTrouble("It is from the key that you know as \(known).")
        } else {
            try self.compare(sharer, name)
        }
        let earlier = try profile.received().first { $0.value.sharer == sharer }
        if let old { try await self.retire(old, inPlaceOf: sharer, by: Sharer(profile: profile)) }
        try profile.keep(grant, from: name)
        let kept = (earlier == grant ? nil : earlier).map { earlier in
            let end = Moment(earlier.value.notAfter).local
            // Only the sharer and the server know whether it was revoked.
            return "kept; it replaces their earlier one, which was valid until \(end) unless they revoked it"
        }
        let words = "\(kept ?? "kept"); ask with: \(self.command(toAsk: name))"
        guard let invitation, try self.mayAsk(invitation.value, name) else { return try printLine(words) }
        printTrouble(words)
        let file = try self.out.map { try GrantFile(creating: $0) }
        do {
            let own = try Sharer(profile: profile)
            let grant = try self.grant(for: invitation.value, by: own)
            if file == nil, await self.leave(grant, inReplyTo: invitation, by: own) {
                self.describe(grant, to: name, profile)
                return try printLine("You need not send anything: the server has the grant for \(name)'s program.")
            }
            try self.handOver(grant, to: name, file, profile)
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Leaves a grant on the server.
    ///
    /// - Returns: whether the server has it; otherwise the person sends it.
    private func leave(
        _ grant: Signed<Grant>,
        inReplyTo invitation: Signed<Invitation>,
        by sharer: Sharer
    ) async -> Bool {
        do {
            try await Waiting.said { try await sharer.groups.leave(grant, inReplyTo: invitation) }
            return true
        } catch {
            printTrouble("The grant is not on the server: \(error)")
            return false
        }
    }

    /// Asks the person whether the sender of the invitation may locate them, too.
    private func mayAsk(_ invitation: Invitation, _ name: String) throws -> Bool {
        do {
            try invitation.check(now: .now)
        } catch {
            printTrouble("\(name) wanted to ask where you are, too: \(error.message)")
            return false
        }
        if self.both { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            printTrouble("\(name) would like to ask where you are, too. To allow it, run this again with --both.")
            return false
        }
        printTrouble("\(PrivacyNotice.words(for: self.profile))\n")
        printTrouble("May \(name) ask where you are, too? Type yes:")
        return readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes"
    }

    func command(toAsk name: String) -> String {
        "whereabouts ask --profile \(ShellWord.path(self.profile.profile)) \(ShellWord.last(name))"
    }

    /// The person's own name, which is asked for before any file is created.
    func checkedOwnName() throws -> String {
        try OwnNameOption.name(given: self.ownName.ownName, in: try? self.profile.open())
    }

    private static func checked(_ name: String) throws -> String {
        try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
    }

    /// Asks the person to compare a safety number.
    ///
    /// The question is written to the terminal, because standard output is for the grant.
    func compare(_ identity: PublicIdentity, _ name: String) throws {
        let number = identity.safetyNumber
        if self.yes { return }
        if let told = self.safetyNumber {
            guard told.filter(\.isNumber) == number.filter(\.isNumber) else {
                throw SharingError(
                    .badSignature,
                    "The safety number is \(number), not \(told). Somebody may have changed the text in transit. Ask \(name) for it again."
                )
            }
            return
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw SharingError(
                .badText,
                "Not a terminal: pass --safety-number NUMBER (from \(name); it must be \(number)), or --yes to skip the check."
            )
        }
        printTrouble("Ask \(name) for their safety number, in person or by voice. It must be:\n\n    \(number)\n")
        printTrouble("Is it the same? Type yes:")
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
            throw SharingError(.badSignature, "Nothing was accepted: you did not confirm the safety number.")
        }
    }
}
