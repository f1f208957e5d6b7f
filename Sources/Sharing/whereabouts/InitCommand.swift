internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import Glibc
internal import WhereaboutsCertificates
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts init`: creates a server and its first user.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up your own server, or renew its certificate.",
        discussion: """
            Writes into a new or empty directory:
              ca.pem, ca.key      a certificate authority; devices and people trust ca.pem, ca.key stays here
              tls.pem, tls.key    the certificate of gateway and server
              AuthKey.p8          signs pushes; the server's
              AuthKey.pub         its public half; the gateway's
              whereabouts.toml    how `whereabouts serve` runs gateway and server
              me/                 your identity: the profile of the first person; not in /var/lib/whereabouts, where
                                  systemd gives the directory to the service's own user
            and prints the next steps.

            In a directory that it made before, it only renews tls.pem, for the same hosts unless you pass others. SIGHUP makes the \
            gateway and the server load it.
            """
    )

    /// The ID of the team and the key for pushes that never go to Apple: any ten letters or digits.
    static let pushKeyID = "SELFHOSTED"
    /// Apple's devices reject server certificates that are valid for more than 825 days (Apple: HT210176).
    static let certificateDays = 800
    /// The authority is valid for longer than the lifetime of most devices.
    static let authorityDays = 3650

    @Argument(help: ArgumentHelp("The directory to create, or to renew the certificate in.", valueName: "directory"))
    var directory: String

    @Option(
        help: ArgumentHelp(
            "A name or address by which clients reach this machine, without a port. Repeatable. localhost and 127.0.0.1 are "
                + "always included.",
            valueName: "host"
        ),
        transform: Self.host
    )
    var host: [HostName] = []

    @Option(
        help: ArgumentHelp(
            "Your name, as the people you invite see it (default: ask at a terminal).",
            valueName: "name"
        )
    )
    var name: String?
    @Flag(help: "Print JSON.")
    var json = false

    @Sendable private static func host(_ text: String) throws -> HostName {
        guard let host = HostName(text) else {
            throw ValidationError("Invalid host '\(text)'. Give a name or an address, for example sharing.example.org.")
        }
        return host
    }

    func validate() throws {
        guard !self.directory.isEmpty else { throw ValidationError("the directory has no name") }
        do {
            if let name { _ = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax) }
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() throws {
        let found = try? FileManager.default.contentsOfDirectory(atPath: self.directory)
        let isRenewal = found.map { !$0.isEmpty } ?? FileManager.default.fileExists(atPath: self.directory)
        let names = try isRenewal ? self.renew() : self.make()
        let me = try self.complete(names)
        guard !self.json else {
            return try printJSON(
                Made(
                    directory: self.directory,
                    profile: self.isInstalled ? nil : self.me,
                    hosts: names.map(\.text),
                    isRenewed: isRenewal
                )
            )
        }
        let number = me?.identity.publicIdentity.safetyNumber ?? ""
        let words = ServerWords(directory: self.directory, names: names, name: self.name, safetyNumber: number)
        try printLine(isRenewal ? words.renewed : self.isInstalled ? words.installed : words.made)
    }

    /// Whether the package's unit serves this directory, as a separate user.
    private var isInstalled: Bool {
        let place = URL(fileURLWithPath: self.directory).standardizedFileURL
        return place.deletingLastPathComponent().path(percentEncoded: false) == "/var/lib/whereabouts/"
            && FileManager.default.fileExists(atPath: "/run/systemd/system")
    }

    private struct Made: Encodable {
        let directory: String
        /// Absent if the service's user owns the directory: people make their profiles elsewhere.
        let profile: String?
        let hosts: [String]
        let isRenewed: Bool
    }

    /// The hosts of a certificate: the given ones, and this machine, because the server reaches the gateway there.
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
        // Write to a temporary directory first: the next run would mistake an incomplete directory for one to renew.
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
            // Remove an empty directory. If the directory contains a file, it stays, and the move fails.
            if unsafe rmdir(place.path) != 0, errno != ENOENT { throw CocoaError(.fileWriteFileExists) }
            try FileManager.default.moveItem(at: draft, to: place)
        } catch let error as CocoaError {
            try? FileManager.default.removeItem(at: draft)
            throw SharingError(
                .badProfile,
                "\(self.directory) cannot be made: \(error.localizedDescription) Name a new directory that you may create."
            )
        }
        return names
    }

    /// The profile of the first person.
    private var me: String { URL(fileURLWithPath: self.directory).appending(path: "me").path }

    /// Creates the configuration and the first identity, if they do not exist.
    ///
    /// - Returns: the new profile; nil if it existed, or the service's user will own the directory.
    private func complete(_ names: [HostName]) throws -> SharingProfile? {
        let place = URL(fileURLWithPath: self.directory)
        let file = place.appending(path: ServerFile.name)
        if !FileManager.default.fileExists(atPath: file.path) {
            try Self.write(Self.configuration(names[0]), to: file)
        }
        guard !self.isInstalled, !FileManager.default.fileExists(atPath: self.me + "/identity.key") else { return nil }
        let authority = place.appending(path: "ca.pem").path
        let server = "https://\(names[0].beforePort):8443"
        let profile = try SharingProfile.openOrCreate(
            path: self.me,
            settings: ServerSettings(server: server, trustRoots: authority)
        )
        if let name = self.name ?? OwnNameOption.typed() { try profile.call(profile.identity.publicIdentity, name) }
        return profile
    }

    /// The configuration of gateway and server.
    ///
    /// Other machines cannot reach the gateway's port for providers; if the host is only this machine, they reach no
    /// port.
    private static func configuration(_ host: HostName) -> String {
        let listen = host.isLoopback ? "127.0.0.1" : host.listeningAddress
        return """
            # How `whereabouts serve` runs gateway and server: the options of `whereabouts gateway` and of
            # `whereabouts server`, by their names without hyphens in front. Files are found from here.
            # After a change, end it and start it again.

            [gateway]
            device-address = "\(listen):5223"
            provider-address = "127.0.0.1:2197"
            certificate = "tls.pem"
            private-key = "tls.key"
            database = "push.sqlite"
            key = ["\(self.pushKeyID):\(self.pushKeyID):AuthKey.pub"]
            # The socket of `whereabouts gateway status --control control`, run in this directory.
            control = "control"
            # An app's vendor sends the pushes of others' servers to Apple; `whereabouts gateway keys --add … --relay 1000`
            # lets one send. The key above need not name apps for that; a sender's must.
            # relay = ["TEAM:KEY-ID:AuthKey_KEY-ID.p8:com.example.FindFriends"]
            # relay-to = "api.push.apple.com:443"

            [server]
            address = "\(listen):8443"
            certificate = "tls.pem"
            private-key = "tls.key"
            database = "sharing.sqlite"
            apns-endpoint = "localhost:2197"
            apns-trust-roots = "ca.pem"
            apns-key = "AuthKey.p8"
            apns-key-id = "\(self.pushKeyID)"
            apns-team-id = "\(self.pushKeyID)"

            """
    }

    private func renew() throws -> [HostName] {
        let place = URL(fileURLWithPath: self.directory)
        func text(_ name: String) throws -> String {
            guard let text = try? String(contentsOf: place.appending(path: name), encoding: .utf8) else {
                throw SharingError(
                    .badProfile,
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
            // Keep the key, so that certificate and key match at every moment.
            try Self.write(
                authority.issue(names: names, key: key.publicKey, days: Self.certificateDays),
                to: place.appending(path: "tls.pem")
            )
            return names
        } catch let error where !(error is SharingError) {
            throw SharingError(
                .badProfile,
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

/// The commands to run after `whereabouts init`.
struct ServerWords {
    let directory: String
    let names: [HostName]
    /// The person's name for themselves, if given.
    let name: String?
    let safetyNumber: String

    private var hosts: String { self.names.map(\.text).joined(separator: ", ") }

    var renewed: String {
        """
        \(self.directory)/tls.pem is renewed for \(self.hosts), and valid for \(InitCommand.certificateDays) days.
        Have the gateway and the server load it. If systemd runs them:
          systemctl reload whereabouts@NAME
        Otherwise, with the process ID that `pgrep -a whereabouts` shows:
          kill -HUP PID
        """
    }

    var made: String {
        let host = self.names[0].beforePort
        let (authority, me) = (ShellWord.path(self.directory + "/ca.pem"), ShellWord.path(self.directory + "/me"))
        return """
            \(self.directory) holds the certificates for \(self.hosts), the key that signs pushes, and your identity.
            Next:

            1. Start the gateway and the server. \(ServerFile.name) in the directory has their options.
                 whereabouts serve \(ShellWord.path(self.directory))
               Show how the gateway is doing:
                 whereabouts gateway status --control \(ShellWord.path(self.directory + "/control"))
            2. On each device that shares its location:
                 locationd --gateway \(host):5223 --gateway-trust-roots \(authority)
            3. Invite somebody whose location you want to see. They run `whereabouts accept LINK` and send you a grant.
                 whereabouts invite --profile \(me)\(self.name == nil ? " --name NAME" : "")
            4. \(Self.registering)
            5. Keep the grant, and ask:
                 whereabouts accept GRANT --profile \(me)
                 whereabouts ask --profile \(me)

            Your safety number, for others to compare: \(self.safetyNumber)
            """
    }

    /// The words for a directory that the package's unit serves: its user owns the directory, and others cannot read it.
    var installed: String {
        let host = self.names[0].beforePort
        let instance = URL(fileURLWithPath: self.directory).lastPathComponent
        let authority = "/etc/whereabouts/ca.pem"
        let name = self.name.map { " --name=\(ShellWord.of($0))" } ?? ""
        return """
            \(self.directory) holds the certificates for \(self.hosts), and the key that signs pushes.
            Next, as root:

            1. Start the gateway and the server. \(ServerFile.name) in the directory has their options.
                 systemctl enable --now whereabouts@\(ShellWord.of(instance))
               Show how the gateway is doing:
                 whereabouts gateway status --control \(ShellWord.path(self.directory + "/control"))
            2. Copy the certificate that devices and people trust; only root can read the directory.
                 install -D -m 644 \(ShellWord.path(self.directory + "/ca.pem")) \(authority)

            And as yourself:

            3. On each device that shares its location, with a copy of that file:
                 locationd --gateway \(host):5223 --gateway-trust-roots \(authority)
            4. Make your identity, and invite somebody whose location you want to see. They run `whereabouts accept LINK`
               and send you a grant.
                 whereabouts identity create --server https://\(host):8443 --trust-roots \(authority)
                 whereabouts invite\(name)
            5. \(Self.registering)
            6. Keep the grant, and ask:
                 whereabouts accept GRANT
                 whereabouts ask
            """
    }

    private static let registering = """
        They open the app that shares their location and allow it Always. It is registered when it shows "your friends
           can ask where you are", or when `whereabouts devices` lists it as "shares". After that it need not run.
        """
}
