internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// `whereabouts identity`: creates and shows the person's identity.
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
            abstract: "Make an identity in a new profile, or give an existing profile another server.",
            discussion: """
                An existing identity is kept; its server and trust roots are replaced. The profile's parent directory must exist.
                """
        )

        @OptionGroup var profile: ProfileOption
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
            try show(SharingProfile.openOrCreate(path: self.profile.profile, settings: settings), json: self.json)
        }
    }

    /// `whereabouts identity show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your ID, and the safety number to compare by voice."
        )

        @OptionGroup var profile: ProfileOption
        @Flag(help: "Print only the ID.")
        var id = false
        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard !self.id || !self.json else { throw ValidationError("--id prints text; leave out --json") }
        }

        func run() async throws {
            let profile = try self.profile.open()
            if self.id { return try printLine(profile.identity.publicIdentity.text) }
            try show(profile, json: self.json)
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

private func show(_ profile: SharingProfile, json: Bool) throws {
    let identity = profile.identity.publicIdentity
    let settings = profile.settings
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
