internal import ArgumentParser
internal import Foundation
internal import WhereaboutsOptionFiles
internal import WhereaboutsSharing

/// `whereabouts serve`: gateway and server in one process, as `whereabouts init` configured them.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway and the server that `whereabouts init` made, in one process.",
        discussion: """
            whereabouts.toml in the directory holds the options of `whereabouts gateway` under [gateway] and those of `whereabouts \
            server` under [server], without the leading hyphens; repeated options are lists. Paths are relative to the directory.

            Each of the two prints a line when its ports are open. SIGHUP makes both load their certificate again. SIGTERM ends both, with \
            exit code 0.
            """
    )

    @Argument(help: ArgumentHelp("The directory that `whereabouts init` made.", valueName: "directory"))
    var directory: String

    func run() async throws {
        let file = try ServerFile.read(in: self.directory)
        // Paths in the configuration file are relative to its directory.
        guard FileManager.default.changeCurrentDirectoryPath(self.directory) else {
            throw SharingError(.badProfile, "\(self.directory) cannot be entered; check its owner")
        }
        func arguments(_ title: String, of command: any ParsableCommand.Type) throws -> [String] {
            try file.table(title, of: ServerFile.titles).arguments(for: CommandOptions(of: command, of: "whereabouts"))
        }
        let gateway = try GatewayServeCommand.parse(arguments("gateway", of: GatewayServeCommand.self))
        let server = try ServerCommand.parse(arguments("server", of: ServerCommand.self))
        try await Serving.run { [try await gateway.service($0), await server.service($0)] }
    }
}
