internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl phase`.
struct PhaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phase",
        abstract: "Put a running app in the foreground or the background."
    )

    /// The phase that an app can be put into.
    enum Phase: String, ExpressibleByArgument, CaseIterable {
        /// The app is on the screen.
        case foreground
        /// The app runs without being visible.
        case background
    }

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Argument(help: "foreground or background.") var phase: Phase
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        try self.daemon.order(
            .with {
                $0.phase = .with {
                    $0.bundle = self.bundle
                    $0.phase = self.phase == .foreground ? .foreground : .background
                }
            }
        )
    }
}
