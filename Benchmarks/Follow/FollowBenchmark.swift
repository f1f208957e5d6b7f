internal import Foundation
internal import Rig
internal import WhereaboutsSharing

extension Benchmark {
    /// One sharer with many followers.
    static let follow = Benchmark(name: "follow") { try await FollowBenchmark.run() }
}

/// One sharer with 100 followers, an update a second for each: the server's cost of an update until its follower has it.
///
/// The reference is Hummingbird alone, built alike: it passes posted updates to readers, without signatures, a store or an end.
enum FollowBenchmark {
    private static let followers = 100
    private static let seconds = 20

    static func run() async throws -> [Figure] {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let log = "\(workspace.directory)/bench.log"
        let bare = try SharingServers.bare(workspace, log: log)
        defer { bare.terminate() }
        // No push is sent: the answers arrive first.
        let server = try SharingServers.server(workspace, log: log)
        defer { server.terminate() }
        let audience = try Audience(trustRoots: workspace.authorityPath)
        do {
            let reference = try await self.cost(bare, audience) { address in
                (0..<self.followers).map { number in
                    // As long as a signed update in the default suite.
                    let body = [UInt8](repeating: UInt8(number), count: 1378)
                    return Audience.Member(address: "\(address)/updates/\(number)") { body }
                }
            }
            let cost = try await self.cost(server, audience) { address in
                try await FollowedSharer(server: address, workspace, audience).members(count: self.followers)
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
        _ members: (_ address: String) async throws -> [Audience.Member]
    ) async throws -> Double {
        let address = try SharingServers.address(of: child)
        return try await audience.follow(try await members(address)) { update in
            // Warm connections and caches first, so that they favour no server.
            try await update(3)
            let before = ProcessorTime.of(child.pid)
            try await update(self.seconds)
            return (ProcessorTime.of(child.pid) - before) / Double(self.followers * self.seconds)
        }
    }
}
