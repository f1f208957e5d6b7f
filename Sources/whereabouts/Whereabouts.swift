internal import ArgumentParser
internal import Vocabulary

/// `whereabouts`: asks, is asked, and serves.
@main
struct Whereabouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whereabouts",
        abstract: "Ask where someone is, once, and get a fresh answer they agreed to give.",
        discussion: """
            The sharer and the requester each make an identity; the sharer approves the requester and hands the grant \
            over; the requester asks:
              whereabouts identity create --home bob --server https://localhost:8443
              whereabouts approve BOBS-ID --home alice --for 7d --out bob.grant
              whereabouts ask --home bob --grant bob.grant
            """,
        version: Release.version,
        subcommands: [
            AskCommand.self, ApproveCommand.self, GrantsCommand.self, RevokeCommand.self, JournalCommand.self,
            IdentityCommand.self, ServerCommand.self,
            GatewayCommand.self, InitCommand.self,
        ]
    )
}
