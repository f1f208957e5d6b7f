internal import ArgumentParser
internal import Foundation
internal import Sharing

/// `whereabouts identity`: makes and shows who one is.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Make an identity, or show it.",
        subcommands: [Create.self, Show.self],
        defaultSubcommand: Show.self
    )

    /// `whereabouts identity create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an identity in a new home, or give an existing home another server.",
            discussion: "An existing identity is kept, its server is replaced. The home's parent directory must exist."
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
            let trustRoots = try self.trustRoots.map { try Self.absolute($0) }
            let settings = try ServerSettings(server: self.server, trustRoots: trustRoots)
            try show(SharingHome.openOrCreate(path: self.home.home, settings: settings), json: self.json)
        }

        /// The path as it holds in every working directory: an app reads it from its own.
        private static func absolute(_ path: String) throws -> String {
            let absolute = URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false)
            guard let text = try? String(contentsOfFile: absolute, encoding: .utf8), text.contains("BEGIN CERTIFICATE")
            else {
                throw SharingError(
                    .badHome,
                    "\(path) holds no certificate in PEM; give the file of the authority to trust"
                )
            }
            return absolute
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
}

private func show(_ home: SharingHome, json: Bool) throws {
    let identity = home.identity.publicIdentity
    let shown = Shown(id: identity.text, safetyNumber: identity.safetyNumber, server: home.settings.server)
    guard !json else { return try printJSON(shown) }
    try printLine("id:            \(shown.id)")
    try printLine("safety number: \(shown.safetyNumber)")
    try printLine("server:        \(shown.server)")
}
