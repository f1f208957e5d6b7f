internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts identity`: makes and shows who one is.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Make an identity, or show it.",
        subcommands: [Create.self, Show.self, IdentityReplaceCommand.self],
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
                "PEM file with the certificates to trust instead of those of the system.",
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

    /// `whereabouts identity show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your ID, and the safety number to compare by voice."
        )

        @OptionGroup var home: HomeOption
        @Flag(help: "Print only the ID.")
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
