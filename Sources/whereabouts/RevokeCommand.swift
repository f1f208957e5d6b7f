internal import ArgumentParser
internal import Sharing

/// `whereabouts revoke`: takes a grant back.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a grant back: at once on this device, then on the server.",
        discussion: "Run it again if the server could not be reached; the device refuses meanwhile."
    )

    @Argument(help: "The file that holds the grant.")
    var grant: String
    @OptionGroup var home: HomeOption

    func run() async throws {
        let grant = try readGrant(self.grant)
        do {
            try await Sharer(home: self.home.open()).revoke(grant)
        } catch let error as SharingError where error.code == .network {
            throw SharingError(
                .network,
                "revoked on this device, which refuses from now on; the server does not know yet, so run this again: "
                    + error.message
            )
        }
        try printLine("revoked: \(grant.value.id)")
    }
}
