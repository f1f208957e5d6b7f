internal import Foundation
internal import Rig
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

extension Benchmark {
    /// One sharer whom many follow.
    static let follow = Benchmark(name: "follow") { try await FollowBenchmark.run() }
}

/// One sharer whom 100 follow, an update a second for each: what an update costs the server until its follower has it.
///
/// The reference is Hummingbird alone, built alike: it hands what is posted to anyone who looks, and knows no signature, no store and no end.
enum FollowBenchmark {
    private static let followers = 100
    private static let seconds = 20

    static func run() async throws -> [Figure] {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let (binaries, log) = (try Binaries(), "\(workspace.directory)/bench.log")
        let bare = try Child(
            "bare-sse",
            binaries.path("bare-sse"),
            [workspace.certificatePath, workspace.privateKeyPath],
            log: log
        )
        defer { bare.terminate() }
        let server = try Child(
            "server",
            binaries.path("whereabouts"),
            [
                "server", "--address", "127.0.0.1:0",
                "--certificate", workspace.certificatePath, "--private-key", workspace.privateKeyPath,
                "--database", "\(workspace.directory)/server.sqlite",
                // No push is sent: the answers arrive first.
                "--apns-endpoint", "localhost:1", "--apns-key", workspace.providerKeyPath,
                "--apns-key-id", Workspace.keyID, "--apns-team-id", Workspace.teamID,
            ],
            log: log
        )
        defer { server.terminate() }
        let audience = try Audience(trustRoots: workspace.authorityPath)
        do {
            let reference = try await self.cost(bare, audience) { port in
                (0..<self.followers).map { number in
                    // As long as a signed update in the default suite.
                    let body = [UInt8](repeating: UInt8(number), count: 1378)
                    return Audience.Member(address: "https://localhost:\(port)/updates/\(number)") { body }
                }
            }
            let cost = try await self.cost(server, audience) { port in
                try await FollowedSharer(server: "https://localhost:\(port)", workspace, audience)
                    .members(count: self.followers)
            }
            try await audience.shutdown()
            return [
                Figure(
                    name: "cpu",
                    value: cost * 1_000_000,
                    unit: "µs an update",
                    ratio: cost / reference,
                    reference: "Hummingbird alone, \(String(format: "%.0f", reference * 1_000_000)) µs"
                )
            ]
        } catch {
            try? await audience.shutdown()
            throw error
        }
    }

    /// The processor time of an update that is delivered, in seconds.
    private static func cost(
        _ child: Child,
        _ audience: Audience,
        _ members: (_ port: String) async throws -> [Audience.Member]
    ) async throws -> Double {
        let line = try child.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        guard let port = line.split(separator: ":").last?.split(separator: " ").first else {
            throw RigError(child.name, "says no port in: \(line)")
        }
        return try await audience.follow(try await members(String(port))) { update in
            // Warm connections and caches are no server's merit.
            try await update(3)
            let before = ProcessorTime.of(child.pid)
            try await update(self.seconds)
            return (ProcessorTime.of(child.pid) - before) / Double(self.followers * self.seconds)
        }
    }
}
