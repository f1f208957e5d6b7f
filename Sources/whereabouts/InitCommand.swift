internal import ArgumentParser
internal import Certificates
internal import Crypto
internal import Foundation

/// `whereabouts init`: the certificates and keys of a server of one's own.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the certificates and keys of a server of one's own, or renew its certificate.",
        discussion: """
            Writes into a new directory:
              ca.pem, ca.key      a certificate authority; devices and people trust ca.pem, ca.key stays here
              tls.pem, tls.key    the certificate of gateway and server
              AuthKey.p8          signs pushes; the server's
              AuthKey.pub         its public half; the gateway's

            In a directory that it made before, tls.pem is issued anew, for as long again, and all keys stay; SIGHUP \
            has gateway and server take it.
            """
    )

    /// The team and the key of pushes that never go to Apple: any ten letters or digits.
    static let pushKeyID = "SELFHOSTED"
    /// Devices of Apple's take no server certificate that is valid for more than 825 days (Apple: HT210176).
    static let certificateDays = 800
    /// The authority lasts longer than the devices that trust it.
    static let authorityDays = 3650

    @Argument(help: ArgumentHelp("Where to put them.", valueName: "directory"))
    var directory: String

    @Option(
        help: ArgumentHelp(
            "A host name or an address that clients use; may be given more than once. Default: localhost, 127.0.0.1.",
            valueName: "host"
        )
    )
    var host: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    private var names: [String] { self.host.isEmpty ? ["localhost", "127.0.0.1"] : self.host }

    func validate() throws {
        for name in self.names where name.isEmpty || name.utf8.contains(where: { !(0x21...0x7E).contains($0) }) {
            throw ValidationError("'\(name)' is no host: a name in ASCII or an address is due, without a port")
        }
        for name in self.names where name.contains("/") || (name.contains(":") && name.contains(".")) {
            throw ValidationError("'\(name)' is no host: leave out the scheme, the port and the path")
        }
    }

    func run() throws {
        let isRenewal = FileManager.default.fileExists(atPath: self.directory)
        if isRenewal { try self.renew() } else { try self.make() }
        guard !self.json else { return try printJSON(Made(directory: self.directory, names: self.names)) }
        try printLine(isRenewal ? Self.renewed(self.directory) : Self.made(self.directory, self.names[0]))
    }

    private struct Made: Encodable {
        let directory: String
        let names: [String]
    }

    // MARK: Files

    private func make() throws {
        let authority = try CertificateAuthority(name: "Whereabouts of \(self.names[0])", days: Self.authorityDays)
        let key = P256.Signing.PrivateKey()
        let pushKey = P256.Signing.PrivateKey()
        // Beside its place until it is whole: half of it would be taken for a renewal.
        let place = URL(fileURLWithPath: self.directory)
        let draft = URL(fileURLWithPath: self.directory + ".new")
        try? FileManager.default.removeItem(at: draft)
        do {
            try FileManager.default.createDirectory(
                at: draft,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            for (name, text) in [
                ("ca.pem", try authority.pem), ("ca.key", authority.keyPEM),
                ("tls.pem", try authority.issue(names: self.names, key: key.publicKey, days: Self.certificateDays)),
                ("tls.key", key.pemRepresentation),
                ("AuthKey.p8", pushKey.pemRepresentation), ("AuthKey.pub", pushKey.publicKey.pemRepresentation),
            ] {
                try Self.write(text, to: draft.appending(path: name))
            }
            try FileManager.default.moveItem(at: draft, to: place)
        } catch let error as CocoaError {
            throw ValidationError(
                "\(self.directory): cannot be made: \(error.localizedDescription); its parent directory must exist"
            )
        }
    }

    private func renew() throws {
        let place = URL(fileURLWithPath: self.directory)
        func text(_ name: String) throws -> String {
            guard let text = try? String(contentsOf: place.appending(path: name), encoding: .utf8) else {
                throw ValidationError(
                    "\(self.directory) is there, and its \(name) cannot be read: name a new directory, or one that "
                        + "`whereabouts init` made"
                )
            }
            return text
        }
        do {
            let authority = try CertificateAuthority(certificatePEM: text("ca.pem"), keyPEM: text("ca.key"))
            let key = try P256.Signing.PrivateKey(pemRepresentation: text("tls.key"))
            // The key stays, so that certificate and key fit each other at every moment.
            try Self.write(
                authority.issue(names: self.names, key: key.publicKey, days: Self.certificateDays),
                to: place.appending(path: "tls.pem")
            )
        } catch let error where !(error is ValidationError) {
            throw ValidationError(
                "\(self.directory): ca.pem, ca.key and tls.key are not as `whereabouts init` made them (\(error)); "
                    + "name a new directory"
            )
        }
    }

    private static func write(_ text: String, to place: URL) throws {
        try Data("\(text)\n".utf8).write(to: place, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
    }

    // MARK: Words

    private static func renewed(_ directory: String) -> String {
        """
        \(directory)/tls.pem is issued anew, valid for \(Self.certificateDays) days. SIGHUP has gateway and server take it:
          pkill -HUP -x whereabouts
        """
    }

    private static func made(_ directory: String, _ host: String) -> String {
        """
        \(directory) holds a certificate authority, the certificate for \(host), and the key that signs pushes. Next, there:

          cd \(directory)
          whereabouts gateway --certificate tls.pem --private-key tls.key --database push.sqlite \\
              --key \(Self.pushKeyID):\(Self.pushKeyID):AuthKey.pub
          whereabouts server --certificate tls.pem --private-key tls.key --database sharing.sqlite \\
              --apns-endpoint \(host):2197 --apns-trust-roots ca.pem \\
              --apns-key AuthKey.p8 --apns-key-id \(Self.pushKeyID) --apns-team-id \(Self.pushKeyID)

        Devices need ca.pem: locationd --gateway \(host):5223 --gateway-trust-roots ca.pem
        People, too:         whereabouts identity create --home me --server https://\(host):8443 --trust-roots ca.pem
        """
    }
}
