internal import ArgumentParser
internal import Certificates
internal import Crypto
internal import Foundation
internal import Glibc
internal import Sharing

/// `whereabouts init`: the certificates and keys of a server of one's own.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the certificates and keys of a server of one's own, or renew its certificate.",
        discussion: """
            Writes into a new directory, or an empty one:
              ca.pem, ca.key      a certificate authority; devices and people trust ca.pem, ca.key stays here
              tls.pem, tls.key    the certificate of gateway and server
              AuthKey.p8          signs pushes; the server's
              AuthKey.pub         its public half; the gateway's
            and prints the commands that use them.

            In a directory that it made before, tls.pem is issued anew, for as long again and for the same hosts unless \
            others are given; all keys stay, and SIGHUP has gateway and server take it.
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
            "A name or an address of this machine that clients use, without a port; may be given more than once. "
                + "This machine itself always may: localhost, 127.0.0.1.",
            valueName: "host"
        ),
        transform: Self.host
    )
    var host: [HostName] = []

    @Flag(help: "Print JSON.")
    var json = false

    @Sendable private static func host(_ text: String) throws -> HostName {
        guard let host = HostName(text) else {
            throw ValidationError("'\(text)' is no host: a name or an address is due, such as sharing.example.org")
        }
        return host
    }

    func validate() throws {
        guard !self.directory.isEmpty else { throw ValidationError("the directory has no name") }
    }

    func run() throws {
        let found = try? FileManager.default.contentsOfDirectory(atPath: self.directory)
        let isRenewal = found.map { !$0.isEmpty } ?? FileManager.default.fileExists(atPath: self.directory)
        let names = try isRenewal ? self.renew() : self.make()
        guard !self.json else {
            return try printJSON(Made(directory: self.directory, hosts: names.map(\.text), isRenewed: isRenewal))
        }
        let words = ServerWords(directory: self.directory, names: names)
        try printLine(isRenewal ? words.renewed : words.made)
    }

    private struct Made: Encodable {
        let directory: String
        let hosts: [String]
        let isRenewed: Bool
    }

    /// The hosts of a certificate: those that were given, and this machine, where the server reaches the gateway.
    private func names(_ given: [HostName]) -> [HostName] {
        var names = given
        for host in ["localhost", "127.0.0.1"].compactMap({ HostName($0) }) where !names.contains(host) {
            names.append(host)
        }
        return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    // MARK: Files

    private func make() throws -> [HostName] {
        let names = self.names(self.host)
        let authority = try CertificateAuthority(name: "Whereabouts of \(names[0].text)", days: Self.authorityDays)
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
                ("tls.pem", try authority.issue(names: names, key: key.publicKey, days: Self.certificateDays)),
                ("tls.key", key.pemRepresentation),
                ("AuthKey.p8", pushKey.pemRepresentation), ("AuthKey.pub", pushKey.publicKey.pemRepresentation),
            ] {
                try Self.write(text, to: draft.appending(path: name))
            }
            // An empty directory; anything else there stays, and the move fails.
            if unsafe rmdir(place.path) != 0, errno != ENOENT { throw CocoaError(.fileWriteFileExists) }
            try FileManager.default.moveItem(at: draft, to: place)
        } catch let error as CocoaError {
            try? FileManager.default.removeItem(at: draft)
            throw SharingError(
                .badHome,
                "\(self.directory) cannot be made: \(error.localizedDescription) Name a new directory, in one that may be written"
            )
        }
        return names
    }

    private func renew() throws -> [HostName] {
        let place = URL(fileURLWithPath: self.directory)
        func text(_ name: String) throws -> String {
            guard let text = try? String(contentsOf: place.appending(path: name), encoding: .utf8) else {
                throw SharingError(
                    .badHome,
                    "\(self.directory) is there, and \(name) in it cannot be read: name a new directory, or one that "
                        + "`whereabouts init` made"
                )
            }
            return text
        }
        for name in ["AuthKey.p8", "AuthKey.pub"] { _ = try text(name) }
        do {
            let authority = try CertificateAuthority(certificatePEM: text("ca.pem"), keyPEM: text("ca.key"))
            let key = try P256.Signing.PrivateKey(pemRepresentation: text("tls.key"))
            let names = try self.names(
                self.host.isEmpty ? CertificateAuthority.names(ofPEM: text("tls.pem")) : self.host
            )
            // The key stays, so that certificate and key fit each other at every moment.
            try Self.write(
                authority.issue(names: names, key: key.publicKey, days: Self.certificateDays),
                to: place.appending(path: "tls.pem")
            )
            return names
        } catch let error where !(error is SharingError) {
            throw SharingError(
                .badHome,
                "\(self.directory): ca.pem, ca.key, tls.pem and tls.key are not as `whereabouts init` made them "
                    + "(\(error)); nothing was changed"
            )
        }
    }

    private static func write(_ text: String, to place: URL) throws {
        try Data("\(text)\n".utf8).write(to: place, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
    }
}

/// The commands that use what `whereabouts init` made.
private struct ServerWords {
    let directory: String
    let names: [HostName]

    private var hosts: String { self.names.map(\.text).joined(separator: ", ") }

    var renewed: String {
        """
        \(self.directory)/tls.pem is issued anew for \(self.hosts), valid for \(InitCommand.certificateDays) days.
        SIGHUP has gateway and server take it:
          pkill -HUP -f 'whereabouts (gateway|server)'
        """
    }

    var made: String {
        let (first, id) = (self.names[0], InitCommand.pushKeyID)
        let (host, listen) = (first.beforePort, first.listeningAddress)
        // The default address of both servers is out of other machines' reach.
        let forOthers = (
            gateway: first.isLoopback ? "" : " \\\n      --device-address \(listen):5223",
            server: first.isLoopback ? "" : " \\\n      --address \(listen):8443"
        )
        return """
            \(self.directory) holds a certificate authority, the certificate for \(self.hosts), and the key that signs pushes. Next:

              cd \(Self.quoted(self.directory))
              whereabouts gateway --certificate tls.pem --private-key tls.key --database push.sqlite \\
                  --key \(id):\(id):AuthKey.pub\(forOthers.gateway)
              whereabouts server --certificate tls.pem --private-key tls.key --database sharing.sqlite \\
                  --apns-endpoint localhost:2197 --apns-trust-roots ca.pem \\
                  --apns-key AuthKey.p8 --apns-key-id \(id) --apns-team-id \(id)\(forOthers.server)

            Devices need ca.pem: locationd --gateway \(host):5223 --gateway-trust-roots ca.pem
            People, too:         whereabouts identity create --home me --server https://\(host):8443 --trust-roots ca.pem
            """
    }

    /// A path as a shell takes it for one word, and `cd` for no option.
    private static func quoted(_ path: String) -> String {
        let path = path.hasPrefix("-") ? "./\(path)" : path
        let isPlain = path.utf8.allSatisfy { byte in
            (0x2B...0x39).contains(byte) || (0x40...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        return isPlain ? path : "'\(path.replacing("'", with: "'\\''"))'"
    }
}
