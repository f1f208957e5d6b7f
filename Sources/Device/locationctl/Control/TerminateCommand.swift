internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl terminate`.
struct TerminateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminate",
        abstract:
            "End a running app: SIGTERM, and SIGKILL after 5 s; returns when it has ended. Its permissions and sessions stay."
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        try self.daemon.order(.with { $0.terminate = .with { $0.bundle = self.bundle } })
    }
}
