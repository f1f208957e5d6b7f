internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer

/// `whereabouts verify-viewer`: compares the page that a server delivers with the one in this program.
struct VerifyViewerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-viewer",
        abstract: "Check that a server delivers the unchanged page that opens links.",
        discussion: """
            Compares the SHA-256 of the page with that of the page in this program. Both must be of the same version. A server can deliver \
            another page to someone else, so run this from different networks.

              whereabouts verify-viewer https://sharing.example.org:8443

            Exit codes:
              0  the same page
              1  another page, or none
            """
    )

    @Argument(help: ArgumentHelp("The server's address.", valueName: "url"))
    var server: String
    @Option(
        help: ArgumentHelp(
            "PEM file with the certificates to trust instead of those of the system.",
            valueName: "file"
        )
    )
    var trustRoots: String?

    /// The largest page that is read.
    ///
    /// Source: our choice; our page has less than 200 kB.
    private static let pageByteCountMax = 1_048_576

    func run() async throws {
        let settings = try ServerSettings(server: self.server, trustRoots: self.trustRoots)
        let address = settings.server + "/see"
        var page = Data()
        let status: Int
        do {
            status = try await HTTPSTransport(settings: settings).stream(ServerRequest(url: address)) { bytes in
                page.append(contentsOf: bytes)
                guard page.count <= Self.pageByteCountMax else {
                    throw SharingError(
                        .network,
                        "\(address) is not the page of this version: it has more than 1 MB. Do not open links there."
                    )
                }
            }
        } catch let error as SharingError {
            throw error
        } catch {
            let reason = ConnectionFailure(request: error).words(trustRoots: "--trust-roots")
            throw SharingError(.network, "\(address) was not read: \(reason)")
        }
        guard status == 200 else {
            throw SharingError(.network, "\(address) answers \(status), not with a page. Check the address.")
        }
        let digest = SHA256.hash(data: page).map { String(format: "%02x", $0) }.joined()
        guard digest == ViewerPage.see.digest else {
            throw SharingError(
                .network,
                "\(address) is not the page of this version: its SHA-256 is \(digest), not \(ViewerPage.see.digest). "
                    + "If the server runs this version of whereabouts, do not open links there."
            )
        }
        try printLine("the same page: SHA-256 \(digest)")
    }
}
