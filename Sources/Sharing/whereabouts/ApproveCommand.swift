internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts approve`: grants.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Allow someone to ask where you are.",
        discussion: """
            Compare the requester's safety number with them first. The grant is one line of text. Send it to them; nobody else can use it.

            --hours follows local time, also when the clocks change. Outside these hours your device is not asked. --uses counts each \
            request that your device accepts, with any result.
            """
    )

    @Argument(help: "The requester's ID, as `whereabouts identity show` prints it.")
    var requester: String
    @OptionGroup var profile: ProfileOption
    @OptionGroup var terms: TermsOption
    @Option(help: ArgumentHelp("Write the grant to this new file instead of standard output.", valueName: "file"))
    var out: String?

    func run() async throws {
        let sharer = try Sharer(profile: self.profile.open())
        let requester = try PublicIdentity(text: self.requester)
        // Open the file before making the grant. Otherwise a failure would leave a valid grant that no one received.
        let file = try self.out.map { try GrantFile(creating: $0) }
        let grant: Signed<Grant>
        do {
            grant = try self.terms.approve(requester, by: sharer)
        } catch {
            file?.remove()
            throw error
        }
        let name = sharer.profile.name(of: requester) ?? requester.safetyNumber
        printOthers(to: requester, besides: grant.value.id, called: name, in: sharer.profile)
        try deliver(grant, to: file, profile: self.profile.profile)
    }
}
