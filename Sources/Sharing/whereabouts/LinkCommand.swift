internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts link`: a link that a browser opens.
struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Make a link that lets anyone who has it ask where you are, in a browser.",
        discussion: """
            The link carries a grant with the terms below, for at most 31 days. It is shown once: your server and this device keep only what \
            they need to show the grant and to end it. whereabouts grants lists your links, whereabouts journal shows their uses, and \
            whereabouts revoke NAME ends one. Each of your devices counts uses by itself.

              whereabouts link --for 2h --uses 5 --name weekend
              whereabouts link --for 1d --precision reduced --password ask

            Exit codes:
              0  made
              1  not made: the name is taken, or the server was not reached or you have 32 links there
            """
    )

    @OptionGroup var profile: ProfileOption
    @OptionGroup var terms: TermsOption
    @Option(help: ArgumentHelp("The link's name, shown to anyone who opens it (default: a number).", valueName: "name"))
    var name: String?
    @OptionGroup var ownName: OwnNameOption
    @Option(
        help: ArgumentHelp(
            "Require a password of at least \(SharedLink.passwordCharactersMin) characters: ask for it now, or read the first line of this file.",
            valueName: "ask|file"
        )
    )
    var password: String?
    @Flag(help: "Print the QR code even if it is wider than the terminal, or there is no terminal.")
    var qr = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !self.qr || !self.json else { throw ValidationError("--qr prints a code. Leave out --json.") }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let password = try self.password.map {
            try PassphraseOption.read("password", from: $0 == "ask" ? nil : $0, option: "--password FILE", twice: true)
        }
        let sharer = try Sharer(profile: profile)
        let link = try await self.terms.link(
            called: self.name,
            by: profile.ownName(given: self.ownName.ownName),
            password: password,
            sharer
        )
        let terms = link.grant.value
        await Self.warn(sharer)
        guard !self.json else {
            return try printJSON(
                Shown(
                    link: link.text,
                    name: link.name,
                    grant: "\(terms.id)",
                    until: Moment(terms.notAfter),
                    uses: terms.usesMax
                )
            )
        }
        try printLine(link.text)
        try printLine("")
        try printCode(of: link.text, isWanted: self.qr)
        let condition = password == nil ? "" : " and knows its password"
        try printLine("Anyone who has this link\(condition) can ask where you are: \(terms.terms).")
        let place = ShellWord.path(self.profile.profile)
        try printLine("To end it: whereabouts revoke --profile \(place) \(ShellWord.last(link.name))")
        if let authority = profile.settings.trustRoots {
            printTrouble("Browsers warn of your server's certificate, unless they trust \(authority).")
        }
    }

    /// Warns if no device can answer those who open the link.
    private static func warn(_ sharer: Sharer) async {
        // The server has just stored the link. If it cannot list the devices now, the link is valid anyway.
        guard let devices = try? await sharer.devices() else { return }
        if devices.isEmpty {
            printTrouble(
                "Your link gets no answers yet: none of your devices is registered. Open the app that shares your location."
            )
        } else if !devices.contains(where: { $0.answers && !$0.isPaused }) {
            printTrouble("Your link gets no answers while sharing is paused. `whereabouts devices` lists your devices.")
        }
    }

    private struct Shown: Encodable {
        let link: String
        let name: String
        let grant: String
        let until: Moment
        /// Absent if the number is unlimited.
        let uses: UInt16?
    }
}
