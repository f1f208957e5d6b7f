internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Start an installed app, or bring a running one to the foreground (or to the background).",
        discussion: """
            Arguments for an app that is already running are an error: nothing changes, and the exit status is 1.
            """
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Flag(help: "Start the app in the background, or move it to the background.") var background = false
    @Argument(parsing: .postTerminator, help: "Arguments for the app, after --.") var arguments: [String] =
        []
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        try self.daemon.order(
            .with {
                $0.run = .with {
                    $0.bundle = self.bundle
                    $0.background = self.background
                    $0.arguments = self.arguments
                }
            }
        )
    }
}
