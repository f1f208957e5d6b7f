internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsAPNSClient

/// The relay as a process, and its operator's commands.
extension RelayRig {
    /// Writes the files for options: the vendor's key for Apple, and the sender's public key.
    func writeKeys() throws {
        let files = [
            "relay.p8": self.vendorKey.pemRepresentation, "sender.p8": self.senderKey.pemRepresentation,
            "sender.pub": self.senderKey.publicKey.pemRepresentation,
        ]
        for (name, text) in files {
            let path = self.vendor.path(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            // A key that others can read is a finding of `push --check`.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    /// The client of a sender, which the relay knows by its key.
    func sender(port: Int) throws -> APNSClient {
        try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: port),
                keys: [
                    SigningKey(
                        teamID: RelayRig.senderTeam,
                        keyID: RelayRig.senderKeyID,
                        privateKey: self.senderKey
                    )
                ],
                trustRoots: .file(self.vendor.path("ca.pem"))
            ),
            logger: GatewayRig.logger
        )
    }

    /// Starts the vendor's gateway, which relays to a fake APNs.
    func start(
        _ apple: FakeAPNS,
        _ more: String...,
        database: String? = nil,
        environment: [String: String] = [:]
    ) throws -> (child: Child, providerPort: Int) {
        let child = try Child(
            "gateway",
            try Binaries().path("whereabouts"),
            [
                "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                "--certificate", self.vendor.path("tls.pem"), "--private-key", self.vendor.path("tls.key"),
                "--database", database ?? self.vendor.path("gateway.sqlite"), "--control", self.vendor.path("control"),
                "--relay",
                "\(GatewayRig.teamID):\(GatewayRig.keyID):\(self.vendor.path("relay.p8")):\(GatewayRig.bundle)",
                "--relay-to", "localhost:\(apple.port)", "--relay-trust-roots", apple.authorityPath,
            ] + more,
            environment: environment,
            log: self.vendor.path("log")
        )
        let line = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        let port = line.firstMatch(of: /provider=127\.0\.0\.1:(\d+)/).flatMap { Int($0.output.1) }
        return (child, try #require(port))
    }

    /// Runs `whereabouts` and waits until it ends.
    func run(_ arguments: [String], log: String = "log") throws -> Child.Ended {
        let child = try Child(
            "whereabouts",
            try Binaries().path("whereabouts"),
            arguments,
            log: self.vendor.path(log)
        )
        return try child.waitForEnd(within: 30)
    }

    /// Asks the running gateway, as its operator.
    func ask(_ arguments: String..., log: String = "log") throws -> Child.Ended {
        try self.run(["gateway"] + arguments + ["--control", self.vendor.path("control")], log: log)
    }
}
