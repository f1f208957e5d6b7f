internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts accept`: takes an invitation, and gives a grant for it; or takes a grant, and keeps it.
struct AcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept an invitation, which lets its sender ask where you are; or keep a grant that you were given.",
        discussion: """
            An invitation is answered with a grant, one line of text, to be sent back. The home is made if there is none, for the \
            invitation's server. A grant is kept in your home, and from then on `whereabouts ask NAME` uses it.

            Either way you compare a safety number with the other one, by voice or face to face, before you say yes. A program says \
            --yes, or --safety-number with the number that the other one told.
            """
    )

    @Argument(
        help: ArgumentHelp("The link, the grant, or a file that holds one of them.", valueName: "link|grant|file")
    )
    var text: String
    @OptionGroup var home: HomeOption
    @Option(
        help: ArgumentHelp("What you call the other one; the invitation's name, if not given.", valueName: "name")
    )
    var name: String?
    @Option(
        help: ArgumentHelp(
            "With a grant: forget this person, and give their name to its sharer, who has another key now.",
            valueName: "name"
        )
    )
    var replaces: String?
    @OptionGroup var terms: TermsOption
    @Option(help: ArgumentHelp("Write the grant to this new file instead of standard output.", valueName: "file"))
    var out: String?
    @Option(help: ArgumentHelp("Say yes if the safety number is this one, and no otherwise.", valueName: "number"))
    var safetyNumber: String?
    @Flag(help: "Skip the safety-number check. Anyone who tampered with the text in transit could then locate you.")
    var yes = false

    func validate() throws {
        // No number at all is no sign of an exchanged text.
        guard let told = self.safetyNumber, told.filter(\.isNumber).count != Self.digits else { return }
        throw ValidationError(
            "'\(PlainText.of(told))' is no safety number: six groups of five digits are due, as the other one's program shows them"
        )
    }

    /// The digits of a safety number.
    private static let digits = 30

    func run() async throws {
        let text = try Self.read(self.text)
        guard Signed<Invitation>.begins(text) else { return try self.keep(Signed<Grant>(text: text)) }
        guard self.replaces == nil else {
            throw ValidationError("--replaces is for a grant that you were given; leave it out with an invitation")
        }
        try self.answer(Signed<Invitation>(text: text))
    }

    /// The text itself, or what the file holds.
    private static func read(_ text: String) throws -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw SharingError(
                .badText,
                "the text is empty: the link, the grant, or a file that holds one of them is due"
            )
        }
        guard !Signed<Invitation>.begins(trimmed), FileManager.default.fileExists(atPath: text) else {
            // The words about a grant that is none would have whoever mistyped a file's name look for another grant.
            guard Signed<Invitation>.begins(trimmed) || Signed<Grant>.begins(trimmed) else {
                throw SharingError(
                    .badText,
                    "there is no file \(text.shown(bytesMax: 200)), and it is no link or grant either; check the path, or give the whole line that was sent"
                )
            }
            return trimmed
        }
        guard let contents = try? String(contentsOfFile: text, encoding: .utf8) else {
            throw SharingError(.badHome, "\(text) cannot be read as text: a link or a grant is due; check the path")
        }
        return contents.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func answer(_ invitation: Signed<Invitation>) throws {
        let requester = invitation.value.requester
        // Before anything is made: a name that is none would leave a home, and no grant.
        let name = try Self.checked(self.name ?? invitation.value.name)
        guard (try? self.home.open().identity.publicIdentity) != requester else {
            throw SharingError(
                .notForUs,
                "this invitation is your own: send it to the one whose whereabouts you would ask for"
            )
        }
        // Before anything is read and compared for nothing.
        try invitation.value.check(now: .now)
        let hasShared = (try? self.home.open().readableGrants().grants.isEmpty) == false
        printTrouble(hasShared ? PrivacyNotice.reminder : PrivacyNotice.text)
        printTrouble("\n\(name) wants to ask where you are, through \(PlainText.of(invitation.value.server)).")
        try self.compare(requester, name)
        // Before the grant, which would hold although nobody got it.
        let file = try self.out.map { try GrantFile(creating: $0) }
        let sharer: Sharer
        let grant: Signed<Grant>
        do {
            sharer = try Sharer(home: SharingHome.openOrCreate(path: self.home.home, invitation: invitation))
            try sharer.home.call(requester, name)
            grant = try self.terms.approve(requester, by: sharer)
        } catch {
            file?.remove()
            throw error
        }
        printTrouble("\(name) may know where you are: \(grant.value.terms). `whereabouts revoke` takes it back.")
        printOthers(to: requester, besides: grant.value.id, called: name, in: sharer.home)
        printTrouble(
            "Send \(name) this grant. Your safety number, for them to compare: \(sharer.home.identity.publicIdentity.safetyNumber)"
        )
        try deliver(grant, to: file, home: self.home.home)
    }

    private func keep(_ grant: Signed<Grant>) throws {
        let home = try self.home.open()
        let sharer = grant.value.sharer
        try home.checkIsOurs(grant)
        let count = try home.received().count
        let old = try self.replaces.map { try Self.friend($0, in: home) }
        guard old != sharer else {
            throw SharingError(.badText, "The grant is from the same key; leave out --replaces.")
        }
        let name = try Self.checked(
            self.name ?? old.flatMap(home.name) ?? home.name(of: sharer) ?? "friend-\(count + 1)"
        )
        printTrouble("\(name) lets you ask where they are: \(grant.value.terms).")
        try self.compare(sharer, name)
        let earlier = try home.received().first { $0.value.sharer == sharer && $0.value.id != grant.value.id }
        if let old { try home.forget(old) }
        try home.keep(grant, from: name)
        let kept = earlier.map { earlier in
            let end = Moment(earlier.value.notAfter).local
            // Whether it was taken back, its sharer and the server alone know.
            return "kept, in place of their earlier one, which was good until \(end) unless they took it back"
        }
        try printLine(
            "\(kept ?? "kept"); ask with: whereabouts ask --home \(ShellWord.path(self.home.home)) \(ShellWord.last(name))"
        )
    }

    /// The person of a name, among those who let this person ask.
    private static func friend(_ name: String, in home: SharingHome) throws -> PublicIdentity {
        guard let friend = try home.received().map(\.value.sharer).first(where: { home.calls($0, name) }) else {
            throw SharingError(
                .badText,
                "Nobody called '\(PlainText.of(name))' shares their location with you. `whereabouts friends` lists those who do."
            )
        }
        return friend
    }

    private static func checked(_ name: String) throws -> String {
        try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
    }

    /// Has the person compare a safety number; what is printed goes past standard output, which the grant is for.
    private func compare(_ identity: PublicIdentity, _ name: String) throws {
        let number = identity.safetyNumber
        if self.yes { return }
        if let told = self.safetyNumber {
            guard told.filter(\.isNumber) == number.filter(\.isNumber) else {
                throw SharingError(
                    .badSignature,
                    "the safety number is \(number), not \(told): somebody may have exchanged the text on its way; ask \(name) for it again"
                )
            }
            return
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw SharingError(
                .badText,
                "Not a terminal: pass --safety-number NUMBER (from \(name); it has to be \(number)), or --yes to skip the check."
            )
        }
        printTrouble("Ask \(name) for their safety number, by voice. It has to be:\n\n    \(number)\n")
        printTrouble("Is it? Type yes:")
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
            throw SharingError(.badSignature, "nothing was accepted: the safety numbers were not found to be the same")
        }
    }
}
