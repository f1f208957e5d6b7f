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
            server` under [server], without the leading hyphens; repeated options are lists. Paths are relative to the directory. Each \
            [[dispatchers]] names an organisation that may alert first responders: name, key, latitude, longitude, radius in metres.

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
        let gateway = try Self.command(GatewayServeCommand.self, under: "gateway", in: file)
        let server = try Self.command(ServerCommand.self, under: "server", in: file)
        let dispatchers = try ServerFile.dispatchers(in: file)
        try await Serving.run(2) {
            [
                try await gateway.service($0, descriptors: $1),
                await server.service($0, descriptors: $1, dispatchers: dispatchers),
            ]
        }
    }

    /// Creates a command with the options of a section of the file; an error names the file.
    private static func command<Command: ParsableCommand>(
        _: Command.Type,
        under title: String,
        in file: OptionFile
    ) throws -> Command {
        let options = try file.table(title, of: ServerFile.titles, besides: [ServerFile.dispatchersTitle])
        let layers = try LayeredArguments(options, for: CommandOptions(of: Command.self, of: "whereabouts"))
        guard let command = try layers.parsed(as: Command.self) as? Command else {
            throw SharingError(
                .badProfile,
                "\(options.name) starts no server; remove options that only print something"
            )
        }
        return command
    }
}
