internal import ArgumentParser
internal import WhereaboutsVocabulary

/// `whereabouts`: asks, is asked, and serves.
@main
struct Whereabouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whereabouts",
        abstract: "Ask where someone is, once, and get a fresh answer they agreed to give.",
        discussion: """
            Bob invites Alice to let him ask; she accepts, and sends him the grant; he accepts that, and asks:
              whereabouts invite
              whereabouts accept LINK
              whereabouts accept GRANT
              whereabouts ask
            To run your own server: whereabouts init DIRECTORY, then whereabouts serve DIRECTORY.
            """,
        version: Release.version,
        subcommands: [
            AskCommand.self, FollowCommand.self, SchedulesCommand.self, InviteCommand.self, AcceptCommand.self,
            ApproveCommand.self, LinkCommand.self, GroupCommand.self, GrantsCommand.self, FriendsCommand.self,
            RevokeCommand.self, QuestionsCommand.self, FollowersCommand.self, DevicesCommand.self, JournalCommand.self,
            VolunteerCommand.self, AlertsCommand.self, DispatchCommand.self, IncidentsCommand.self,
            IdentityCommand.self, BackupCommand.self, RestoreCommand.self, ServerCommand.self,
            GatewayCommand.self, PushCommand.self, InitCommand.self, ServeCommand.self, VerifyViewerCommand.self,
            WebCommand.self,
        ]
    )

    static func main() async {
        let typed = CommandLine.arguments.dropFirst().flatMap(Self.separated)
        let arguments = GatewayMockCommand.withSubcommand(typed)
        var command: any ParsableCommand = Self()
        do {
            if let misspelling = Misspelling(in: arguments, of: Self.self) { throw ValidationError(misspelling.words) }
            command = try Self.parseAsRoot(arguments)
            if var concurrent = command as? any AsyncParsableCommand {
                try await concurrent.run()
            } else {
                try command.run()
            }
        } catch {
            CommandFailure.exit(error, of: type(of: command), arguments)
        }
    }

    /// Separates an option from a value that begins with a joiner or an accent.
    ///
    /// The parser does not find the `=` of such an argument, because both form one character.
    static func separated(_ argument: String) -> [String] {
        guard argument.hasPrefix("--"), !argument.contains("="),
            let equals = argument.unicodeScalars.firstIndex(of: "=")
        else { return [argument] }
        let value = argument.unicodeScalars[argument.unicodeScalars.index(after: equals)...]
        return [String(argument.unicodeScalars[..<equals]), String(value)]
    }
}
