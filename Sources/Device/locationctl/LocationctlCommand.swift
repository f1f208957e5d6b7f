internal import ArgumentParser
internal import WhereaboutsVocabulary

/// The command-line tool for the device's owner.
@main
struct LocationctlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationctl",
        abstract: "See and decide what the apps on this device may know of its location.",
        discussion: """
            Exit status: 0 done, 1 refused or failed (the reason is on standard error), 64 wrong usage.
            """,
        version: Release.version,
        subcommands: [
            StatusCommand.self, AppsCommand.self, AgentCommand.self, SettingsCommand.self, AuthorizeCommand.self,
            RunCommand.self, PhaseCommand.self, TerminateCommand.self, LogCommand.self, PushesCommand.self,
            PushCommand.self, InstallCommand.self, UninstallCommand.self, NewCommand.self, BundleCommand.self,
            TrackCommand.self, PowerCommand.self, RecordCommand.self, PlaybackCommand.self,
            WebCommand.self, DoctorCommand.self, DemoCommand.self,
        ]
    )

    static func main() {
        StandardOutput.watch()
        self.main(nil)
    }
}
