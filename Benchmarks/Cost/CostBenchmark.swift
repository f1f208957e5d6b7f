internal import Foundation
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushLink
internal import WhereaboutsSharing

extension Benchmark {
    /// The system calls and the bytes of a push at the gateway.
    static let pushCost = Benchmark(name: "cost-push") { try await CostBenchmark.push() }

    /// The system calls and the bytes of an answer at the gateway, the server, locationd and its extension.
    static let answerCost = Benchmark(name: "cost-answer") { try await CostBenchmark.answer() }
}

/// The costs of one push and of one answer, when each is sent after the last one has arrived.
///
/// They are counts, so their reference is one.
enum CostBenchmark {
    private static let pushes = 200
    private static let answers = 8

    static func push() async throws -> [Figure] {
        let installation = try Installation()
        defer {
            installation.stop()
            installation.workspace.remove()
        }
        try installation.startGateway()
        guard let gateway = installation.pid(of: "gateway"), let providerPort = installation.providerPort,
            let devicePort = installation.devicePort
        else { throw RigError("the gateway", "it does not run") }
        let workspace = installation.workspace
        let provider = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: providerPort),
                keys: [SigningKey(teamID: Workspace.teamID, keyID: Workspace.keyID, path: workspace.providerKeyPath)],
                trustRoots: .file(workspace.authorityPath)
            ),
            logger: Fleet.logger
        )
        var link = PushLinkClient.Configuration(
            host: "127.0.0.1",
            port: devicePort,
            trustRootsPath: workspace.authorityPath
        )
        link.countsSleep = false
        let fleet = try await Fleet(count: 1, link, provider: provider)
        func send(toConnected isConnected: Bool) async throws {
            for _ in 0..<Self.pushes {
                let before = fleet.delivered
                let push = Push(.location, token: fleet.tokens[0], bundleIdentifier: Fleet.bundle)
                _ = try await provider.send(push).get()
                while isConnected, fleet.delivered == before { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        let delivered = try await SystemCalls.count(of: [gateway], in: workspace.directory) {
            try await send(toConnected: true)
        }
        try await fleet.disconnect()
        let stored = try await SystemCalls.count(of: [gateway], in: workspace.directory) {
            try await send(toConnected: false)
        }
        await provider.shutdown()
        return Self.calls("stored", stored, of: Self.pushes) + Self.calls("delivered", delivered, of: Self.pushes) + [
            Self.bytes("provider", delivered, port: providerPort, of: Self.pushes),
            Self.bytes("device", delivered, port: devicePort, of: Self.pushes),
        ]
    }

    static func answer() async throws -> [Figure] {
        try await AskBenchmark.withInstallation { installation in
            let bob = try installation.makeRequester("bob")
            let requester = try Requester(profile: SharingProfile(path: bob.profile))
            let grant = try AskBenchmark.approve(bob, installation)
            let processes = ["gateway", "server", "locationd"].compactMap { installation.pid(of: $0) }
            guard processes.count == 3, let providerPort = installation.providerPort,
                let devicePort = installation.devicePort,
                let serverPort = URL(string: installation.server)?.port
            else { throw RigError("the installation", "a process is missing") }
            func ask() async throws {
                _ = try await AskBenchmark.ask(requester, grant)
                // A second push that comes before the extension has ended would not start it again.
                try await Self.waitUntilChildless(processes[2])
            }
            // The first request turns the receiver on.
            try await ask()
            let calls = try await SystemCalls.count(of: processes, in: installation.workspace.directory) {
                for _ in 0..<Self.answers { try await ask() }
            }
            return Self.calls("answer", calls, of: Self.answers) + [
                Self.bytes("provider", calls, port: providerPort, of: Self.answers),
                Self.bytes("device", calls, port: devicePort, of: Self.answers),
                Self.bytes("server", calls, port: serverPort, of: Self.answers),
            ]
        }
    }

    private static func waitUntilChildless(_ process: Int32) async throws {
        for _ in 0..<1000 {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
            let hasChild = threads.contains { thread in
                let children = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
                return children?.isEmpty == false
            }
            guard hasChild else { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RigError("the extension", "it did not end in 10 s after its answer")
    }

    private static func calls(_ name: String, _ calls: SystemCalls, of count: Int) -> [Figure] {
        let common = calls.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(12)
            .map { "\($0.key) \(String(format: "%.1f", Double($0.value) / Double(count)))" }
        return [
            Self.figure("\(name)-calls", calls.total, of: count, "system calls", note: common.joined(separator: ", ")),
            Self.figure("\(name)-syncs", calls.syncs, of: count, "fsyncs"),
        ]
    }

    private static func bytes(_ name: String, _ calls: SystemCalls, port: Int, of count: Int) -> Figure {
        Self.figure("\(name)-bytes", calls.bytes[port, default: 0], of: count, "bytes in both directions")
    }

    private static func figure(_ name: String, _ total: Int, of count: Int, _ unit: String, note: String = "") -> Figure
    {
        let each = Double(total) / Double(count)
        let reference = note.isEmpty ? "one" : "one; most are \(note)"
        return Figure(name: name, value: each, unit: unit, ratio: each, reference: reference)
    }
}
