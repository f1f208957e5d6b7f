internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts identity`: makes and shows who one is.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Make an identity, or show it.",
        subcommands: [Create.self, Show.self, Replace.self],
        defaultSubcommand: Show.self
    )

    /// `whereabouts identity create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an identity in a new home, or give an existing home another server.",
            discussion: """
                An existing identity is kept; its server and trust roots are replaced. The home's parent directory must exist.
                """
        )

        @OptionGroup var home: HomeOption
        @Option(help: ArgumentHelp("The sharing server.", valueName: "https://host:port"))
        var server: String
        @Option(
            help: ArgumentHelp(
                "A PEM file of the certificates to trust instead of the system's.",
                valueName: "file"
            )
        )
        var trustRoots: String?
        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let settings = try ServerSettings(server: self.server, trustRoots: self.trustRoots)
            try show(SharingHome.openOrCreate(path: self.home.home, settings: settings), json: self.json)
        }
    }

    /// `whereabouts identity replace`.
    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take another key, since somebody may have this one: a lost phone, a stolen file.",
            discussion: """
                Makes a new identity in a new home, with the same server. Everybody who may ask gets a grant of it on the same terms, one a \
                line, to be sent to them; of several grants to one person the last one counts. Those of the old key are revoked, here and on the \
                server, and all devices of the old key are removed there, so that nobody is asked of a lost one: also under a grant that was \
                given on it after the backup that this home came from, which is not known here. Run it again if the server could not be \
                reached. Your friends who let you ask are told the new id, and accept it anew. Your other devices get the new home by a backup.

                The old home stays, for its journal. Whoever has the old key can register a device with it anew, and answer in your name to \
                those who ask by an old grant that was not revoked: have everybody keep the new one.
                """
        )

        @OptionGroup var home: HomeOption
        @Argument(help: ArgumentHelp("The new home.", valueName: "directory"))
        var new: String
        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let old = try self.home.open()
            let new = try SharingHome.openOrCreate(path: self.new, settings: old.settings)
            guard new.identity.publicIdentity != old.identity.publicIdentity else {
                throw SharingError(.badHome, "\(self.new) is the old home; give another directory")
            }
            let grants = try await self.handOver(old, to: new)
            for grant in grants {
                let (requester, name) = (grant.value.requester, new.name(of: grant.value.requester))
                if self.json {
                    try printJSON(Replaced(requester: requester.text, name: name, grant: grant.text))
                } else {
                    try printLine("\(name ?? requester.safetyNumber): \(grant.text)")
                }
            }
            guard !self.json else { return }
            try printLine("your new safety number: \(new.identity.publicIdentity.safetyNumber)")
            try printLine(
                "all devices of the old key are removed, and nobody is asked about you by it; grants that were given elsewhere since this home was backed up "
                    + "are not known here: give those people one of the new key, too"
            )
            for grant in try old.received() {
                let name = old.name(of: grant.value.sharer) ?? grant.value.sharer.safetyNumber
                try printLine(
                    "invite \(name) anew, who let the old key ask: whereabouts invite --home \(ShellWord.path(self.new))"
                )
            }
        }

        private func handOver(_ old: SharingHome, to new: SharingHome) async throws -> [Signed<Grant>] {
            do {
                return try await Sharer(home: old).hand(over: Sharer(home: new))
            } catch let error as SharingError where error.code == .network || error.code == .refused {
                throw SharingError(
                    error.code,
                    "the new key and its grants are made in \(self.new), and this home refuses under the old ones; the server does not know all of it yet, and a "
                        + "lost device may go on answering until it does: run this again, which prints the grants, too: \(error.message)"
                )
            }
        }

        private struct Replaced: Encodable {
            let requester: String
            let name: String?
            let grant: String
        }
    }

    /// `whereabouts identity show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the id to hand over, and the safety number to compare by voice."
        )

        @OptionGroup var home: HomeOption
        @Flag(help: "Print the id alone.")
        var id = false
        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard !self.id || !self.json else { throw ValidationError("--id prints text; leave out --json") }
        }

        func run() async throws {
            let home = try self.home.open()
            if self.id { return try printLine(home.identity.publicIdentity.text) }
            try show(home, json: self.json)
        }
    }
}

private struct Shown: Encodable {
    let id: String
    let safetyNumber: String
    let server: String
    /// Absent: the system's.
    let trustRoots: String?
}

private func show(_ home: SharingHome, json: Bool) throws {
    let identity = home.identity.publicIdentity
    let settings = home.settings
    let shown = Shown(
        id: identity.text,
        safetyNumber: identity.safetyNumber,
        server: settings.server,
        trustRoots: settings.trustRoots
    )
    guard !json else { return try printJSON(shown) }
    try printLine("id:            \(shown.id)")
    try printLine("safety number: \(shown.safetyNumber)")
    try printLine("server:        \(shown.server)")
    try printLine("trust roots:   \(shown.trustRoots ?? "the system's")")
}
