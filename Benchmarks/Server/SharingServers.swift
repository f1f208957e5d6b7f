internal import Rig

/// The sharing server and its reference, as processes on loopback.
enum SharingServers {
    /// Starts the sharing server, which sends pushes to a port of this machine; port 1: to none.
    static func server(
        _ workspace: Workspace,
        pushPort: Int = 1,
        options: [String] = [],
        log: String
    ) throws -> Child {
        try Child(
            "server",
            Binaries().path("whereabouts"),
            [
                "server", "--address", "127.0.0.1:0",
                "--certificate", workspace.certificatePath, "--private-key", workspace.privateKeyPath,
                "--database", "\(workspace.directory)/server.sqlite",
                "--apns-endpoint", "localhost:\(pushPort)", "--apns-trust-roots", workspace.authorityPath,
                "--apns-key", workspace.providerKeyPath,
                "--apns-key-id", Workspace.keyID, "--apns-team-id", Workspace.teamID,
            ] + options,
            log: log
        )
    }

    /// Starts the reference server; with a database, it stores requests and answers.
    static func bare(_ workspace: Workspace, database: String? = nil, log: String) throws -> Child {
        try Child(
            "bare-sse",
            Binaries().path("bare-sse"),
            [workspace.certificatePath, workspace.privateKeyPath] + (database.map { [$0] } ?? []),
            log: log
        )
    }

    /// Waits until a server listens, and returns its address.
    static func address(of child: Child) throws -> String {
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        guard let port = line.split(separator: ":").last?.split(separator: " ").first else {
            throw RigError(child.name, "says no port in: \(line)")
        }
        return "https://localhost:\(port)"
    }
}
