internal import ArgumentParser
internal import LocationWireMessages
internal import SwiftProtobuf

/// `locationctl uninstall`.
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove an app, its container and all it was granted."
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        try self.daemon.order(.with { $0.uninstall = .with { $0.bundle = self.bundle } })
    }
}
