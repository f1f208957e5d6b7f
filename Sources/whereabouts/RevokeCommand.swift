internal import ArgumentParser
internal import Foundation
internal import Sharing

/// `whereabouts revoke`: takes a grant back.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a grant back: at once on this device, then on the server.",
        discussion: """
            Run it again if the server could not be reached; the device refuses meanwhile. Your other devices refuse by the server's word; one that \
            you gave on another device is named by its file there, or by its id once this device answered under it.
            """
    )

    @Argument(help: "The file that holds the grant, or its id as `whereabouts grants` lists it.")
    var grant: String
    @OptionGroup var home: HomeOption

    func run() async throws {
        let home = try self.home.open()
        let id = FileManager.default.fileExists(atPath: self.grant) ? nil : GrantID(self.grant)
        let grant = try id.map { try home.grant($0) } ?? readGrant(self.grant)
        do {
            try await Sharer(home: home).revoke(grant)
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
