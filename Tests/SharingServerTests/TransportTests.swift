internal import Foundation
internal import Rig
internal import Testing
internal import TransportRules

@testable internal import WhereaboutsSharing

/// Tests both of the library's transports with their common rules.
struct TransportTests {
    private static func withServer(
        _ body: (Workspace, RuleServer.Addresses, RuleServer) async throws -> Void
    ) async throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let (server, addresses) = try await RuleServer.start(
            certificate: workspace.certificatePath,
            key: workspace.privateKeyPath
        )
        defer { server.stop() }
        try await body(workspace, addresses, server)
    }

    @Test(arguments: TransportRule.allCases)
    func asyncHTTPClientKeeps(_ rule: TransportRule) async throws {
        try await Self.withServer { workspace, addresses, _ in
            let settings = try ServerSettings(server: addresses.good, trustRoots: workspace.authorityPath)
            try await rule.check(HTTPSTransport(settings: settings), at: addresses)
        }
    }

    /// Goal: an early connection needs no request, and the next exchange uses it, whether it is ready or not.
    @Test(arguments: [false, true]) func anEarlyConnectionIsUsed(isReady: Bool) async throws {
        try await Self.withServer { workspace, addresses, server in
            let settings = try ServerSettings(server: addresses.good, trustRoots: workspace.authorityPath)
            let transport = try HTTPSTransport(settings: settings)
            await transport.connect(to: addresses.good)
            if isReady { await server.waitForHandshake() }
            let request = ServerRequest(url: addresses.good + "/echo", body: [1])
            #expect(try await transport.exchange(request, within: .seconds(240)).status == 200)
            #expect(server.counts == (connections: 1, requests: 1))
        }
    }

    /// Goal: the failure of an early connection is ignored; the next exchange reports it.
    @Test func anEarlyConnectionMayFail() async throws {
        try await Self.withServer { workspace, addresses, _ in
            let settings = try ServerSettings(server: addresses.oldTLS, trustRoots: workspace.authorityPath)
            let transport = try HTTPSTransport(settings: settings)
            await transport.connect(to: addresses.oldTLS)
            await transport.connect(to: "not an address")
            await #expect(throws: (any Error).self) {
                try await transport.exchange(ServerRequest(url: addresses.oldTLS + "/echo"), within: .seconds(240))
            }
        }
    }

    /// Method: for one process, the test's authority is mounted over the system's, because `FoundationNetworking`
    /// trusts no other one.
    @Test(.enabled(if: MountNamespace.options != nil, "a mount namespace cannot be made here"))
    func urlSessionKeepsEveryRule() async throws {
        try await Self.withServer { workspace, addresses, _ in
            let output = try Self.probe(
                [addresses.good, addresses.oldTLS, addresses.anotherName],
                trusting: workspace.authorityPath,
                workspace
            )
            for rule in TransportRule.ofFoundationNetworking {
                #expect(output.contains("\(rule.rawValue): kept"), "\(output)")
            }
        }
    }

    @Test func urlSessionRefusesAServerThatTheSystemDoesNotTrust() async throws {
        try await Self.withServer { workspace, addresses, _ in
            let output = try Self.probe(["untrusted", addresses.good], trusting: nil, workspace)
            #expect(output.hasPrefix("untrusted\n"), "\(output)")
        }
    }

    private static func probe(_ words: [String], trusting authority: String?, _ workspace: Workspace) throws -> String {
        let probe = try Binaries().path("transport-probe")
        let log = "\(workspace.logs)/probe.log"
        let child =
            if let authority, let unshare = Binaries.system("unshare"), let options = MountNamespace.options {
                try Child(
                    "transport-probe",
                    unshare,
                    options + ["sh", "-c", MountNamespace.script, "sh", authority, probe] + words,
                    log: log
                )
            } else {
                try Child("transport-probe", probe, words, log: log)
            }
        return try child.waitForEnd(within: 300).output
    }
}

/// A private view of the file system with an additional trusted authority.
private enum MountNamespace {
    /// The options of `unshare(1)`; nil if no such view can be created.
    static let options: [String]? = [["--mount"], ["--mount", "--map-root-user"]].first { options in
        guard let unshare = Binaries.system("unshare") else { return false }
        let process = Process()
        process.executableURL = URL(filePath: unshare)
        process.arguments = options + ["sh", "-c", "test -f \(Self.store) && mount --bind \(Self.store) \(Self.store)"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static let store = "/etc/ssl/certs/ca-certificates.crt"

    static let script = "mount --bind \"$1\" \(Self.store) && shift && exec \"$@\""
}
