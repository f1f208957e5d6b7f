internal import ArgumentParser
internal import Foundation
internal import Sharing

/// `whereabouts serve`: gateway and server in one process, as `whereabouts init` configured them.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway and the server that `whereabouts init` made, in one process.",
        discussion: """
            whereabouts.json in the directory says how: the options of `whereabouts gateway` under "gateway", those of `whereabouts \
            server` under "server", by their names without hyphens in front; a list for an option that is given more than once. Files \
            are found from the directory.

            Each of the two says on standard output when its ports are open; SIGHUP has both read their certificate again; SIGTERM \
            ends both, with 0.
            """
    )

    @Argument(help: ArgumentHelp("The directory that `whereabouts init` made.", valueName: "directory"))
    var directory: String

    func run() async throws {
        let file = "\(self.directory)/\(ServerFile.name)"
        guard let json = FileManager.default.contents(atPath: file) else {
            throw SharingError(.badHome, "\(file) cannot be read: name a directory that `whereabouts init` made")
        }
        let configuration = try ServerFile(json: json, name: file)
        // Its files are named as they lie beside it.
        guard FileManager.default.changeCurrentDirectoryPath(self.directory) else {
            throw SharingError(.badHome, "\(self.directory) cannot be entered; check its owner")
        }
        let gateway = try GatewayServeCommand.parse(configuration.arguments(of: "gateway"))
        let server = try ServerCommand.parse(configuration.arguments(of: "server"))
        try await Serving.run { [try gateway.service($0), server.service($0)] }
    }
}
