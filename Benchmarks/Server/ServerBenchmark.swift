internal import Foundation
internal import Rig

extension Benchmark {
    /// The sharing server under load.
    static let server = Benchmark(name: "server") { try await ServerBenchmark.run() }
}

/// 16 requesters ask 64 sharers over TLS, until each answer is open.
///
/// One request is three HTTP requests of clients (the request, the stream of its states, the answer), one push that the server
/// sends, and three commits. The reference is Hummingbird with SQLite alone: the same clients send it the same requests and a post
/// of a push's length, and it makes three commits of the same content. Its simulated devices do not open a push.
///
/// The clients run on the same processors: making keys, sealing, signing and TLS cost them more than most servers. So the ratio of
/// the rates is closer to one than that of the servers alone; `cpu` leaves the clients out.
///
/// All limits of the server have their defaults, except `--device-pushes`: the simulated devices accept any number of pushes.
enum ServerBenchmark {
    /// The maximum number of new sharers that may register from one address at once.
    private static let sharers = 64
    /// The requests before the measurement; afterwards rows expire as fast as new ones come.
    private static let warmUp = 4000
    /// The measured requests: `REQUESTS`, or 20,000.
    private static var requests: Int { ProcessInfo.processInfo.environment["REQUESTS"].flatMap { Int($0) } ?? 20_000 }

    /// A server under load.
    private struct Measured {
        /// Answers a second.
        let rate: Double
        /// Milliseconds from the post to the opened answer.
        let p50, p99: Double
        /// Microseconds of the server's processors for an answer.
        let cpu: Double
        /// The KiB of resident memory after the warm-up, and at the end.
        let memory: (before: Double, after: Double)
    }

    static func run() async throws -> [Figure] {
        guard self.requests >= AskLoad.askers else {
            throw RigError("REQUESTS", "expected at least \(AskLoad.askers), got \(self.requests)")
        }
        let workspace = try Workspace()
        defer { workspace.remove() }
        let audience = try Audience(trustRoots: workspace.authorityPath)
        do {
            let sharers = try (0..<self.sharers).map { try SimulatedSharer(number: $0) }
            let reference = try await self.reference(workspace, audience, sharers)
            let server = try await self.server(workspace, audience, sharers)
            try await audience.shutdown()
            return self.figures(server, reference)
        } catch {
            try? await audience.shutdown()
            throw error
        }
    }

    private static func reference(
        _ workspace: Workspace,
        _ audience: Audience,
        _ sharers: [SimulatedSharer]
    ) async throws -> Measured {
        let database = "\(workspace.directory)/bare.sqlite"
        let bare = try SharingServers.bare(workspace, database: database, log: "\(workspace.directory)/bench.log")
        defer { bare.terminate() }
        let address = try SharingServers.address(of: bare)
        let load = AskLoad(server: address, audience: audience, sharers: sharers, isPushed: false)
        // A quarter is enough for its rate and quantiles.
        return try await self.measure(bare, load, requests: max(self.requests / 4, AskLoad.askers))
    }

    private static func server(
        _ workspace: Workspace,
        _ audience: Audience,
        _ sharers: [SimulatedSharer]
    ) async throws -> Measured {
        let pushService = try await SimulatedPushService(workspace)
        let server = try SharingServers.server(
            workspace,
            pushPort: pushService.port,
            options: ["--device-pushes", "1000000"],
            log: "\(workspace.directory)/bench.log"
        )
        defer { server.terminate() }
        let address = try SharingServers.address(of: server)
        for sharer in sharers { try await audience.post(sharer.registration(), to: "\(address)/v1/devices") }
        let load = AskLoad(server: address, audience: audience, sharers: sharers, isPushed: true)
        let measured = try await load.answering(pushService.pushes) {
            try await self.measure(server, load, requests: self.requests)
        }
        try await pushService.stop()
        return measured
    }

    private static func measure(_ process: Child, _ load: AskLoad, requests: Int) async throws -> Measured {
        _ = try await load.run(self.warmUp)
        let memory = try await IdleLinks.kilobytes(process)
        let before = ProcessorTime.of(process.pid)
        let run = try await load.run(requests)
        let processor = ProcessorTime.of(process.pid) - before
        return Measured(
            rate: run.rate,
            p50: run.times.quantile(0.5),
            p99: run.times.quantile(0.99),
            cpu: processor / Double(run.times.count) * 1e6,
            memory: (memory, try await IdleLinks.kilobytes(process))
        )
    }

    private static func figures(_ server: Measured, _ reference: Measured) -> [Figure] {
        func figure(_ name: String, _ value: KeyPath<Measured, Double>, _ unit: String) -> Figure {
            let bare = reference[keyPath: value]
            return Figure(
                name: name,
                value: server[keyPath: value],
                unit: unit,
                ratio: server[keyPath: value] / bare,
                reference: "Hummingbird with SQLite alone, \(String(format: "%.1f", bare)) \(unit)"
            )
        }
        return [
            figure("rate", \.rate, "answers/s"),
            figure("p50", \.p50, "ms"),
            figure("p99", \.p99, "ms"),
            figure("cpu", \.cpu, "µs of the server's processors"),
            Figure(
                name: "memory",
                value: server.memory.after / 1024,
                unit: "MiB after \(self.requests) requests",
                ratio: server.memory.after / server.memory.before,
                reference: "the same server's after \(self.warmUp) (\(Int(server.memory.before / 1024)) MiB)"
            ),
        ]
    }
}
