internal import Foundation
internal import Rig

extension Benchmark {
    /// Pushes through the relay, in a release build.
    ///
    /// It runs only when it is named: it builds first.
    static let relay = Benchmark(name: "relay", runsByNameOnly: true) { try await RelayBenchmark.run() }
}

/// Sealed pushes of 1 KB, 100 at a time, through a gateway that relays them to a server that only answers.
///
/// The reference is the same client, which the gateway also uses, sending to the same server without the gateway.
enum RelayBenchmark {
    private static let pushes = 60_000
    /// The maximum number of pushes that one sender may have under way.
    private static let concurrent = 100
    private static let app = "com.example.Bench"
    private static let sender = (team: "BENCHSEND1", key: "BENCHSEND2")

    static func run() async throws -> [Figure] {
        let directory = try Shipping.build(["whereabouts", "apns-load"])
        let (whereabouts, load) = (directory + "/whereabouts", directory + "/apns-load")
        let workspace = try Workspace()
        defer { workspace.remove() }
        func path(_ name: String) -> String { "\(workspace.directory)/\(name)" }
        let log = path("bench.log")
        let echo = try Child(
            "apns-load serve",
            load,
            ["serve", workspace.certificatePath, workspace.privateKeyPath],
            log: log
        )
        defer { echo.terminate() }
        let echoPort = try echo.waitForLine(within: 20) { $0.hasPrefix("listening ") }.dropFirst("listening ".count)
        let gateway = try Child(
            "gateway",
            whereabouts,
            [
                "gateway", "--certificate", workspace.certificatePath, "--private-key", workspace.privateKeyPath,
                "--database", path("push.sqlite"), "--control", path("control"),
                "--relay", "\(Workspace.teamID):\(Workspace.keyID):\(workspace.providerKeyPath):\(Self.app)",
                "--relay-to", "localhost:\(echoPort)", "--relay-trust-roots", workspace.authorityPath,
                "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
            ],
            log: log
        )
        defer { gateway.terminate() }
        let line = try gateway.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        guard let port = line.firstMatch(of: /provider=127\.0\.0\.1:(\d+)/)?.output.1 else {
            throw RigError("the gateway", "said '\(line)'")
        }
        try Command.output(
            whereabouts,
            [
                "gateway", "keys", "--control", path("control"), "--relay", "1000000",
                "--add", "\(Self.sender.team):\(Self.sender.key):\(workspace.providerKeyPath):\(Self.app)",
            ]
        )

        /// The accepted pushes a second, and the sender's processor microseconds for each.
        func send(to port: Substring, _ team: String, _ key: String) throws -> (rate: Double, cost: Double) {
            let child = try Child(
                "sender",
                load,
                [
                    "send", String(port), workspace.authorityPath, workspace.providerKeyPath, team, key, Self.app,
                    "\(Self.pushes)", "\(Self.concurrent)",
                ],
                log: log
            )
            let line = try child.waitForLine(within: 300) { $0.hasPrefix("accepted ") }
            let cost = ProcessorTime.of(child.pid)
            _ = try child.waitForEnd(within: 20)
            let words = line.split(separator: " ")
            guard words.count == 4, words[1] == "\(Self.pushes)", let seconds = Double(words[3]) else {
                throw RigError("the sender", "said '\(line)'")
            }
            return (Double(Self.pushes) / seconds, cost / Double(Self.pushes) * 1e6)
        }

        // Warm caches would favour the second run.
        _ = try send(to: echoPort, Workspace.teamID, Workspace.keyID)
        let direct = try send(to: echoPort, Workspace.teamID, Workspace.keyID)
        let before = ProcessorTime.of(gateway.pid)
        let relayed = try send(to: port, Self.sender.team, Self.sender.key)
        let cost = (ProcessorTime.of(gateway.pid) - before) / Double(Self.pushes) * 1e6
        return [
            Figure(
                name: "relayed",
                value: relayed.rate,
                unit: "pushes/s",
                ratio: relayed.rate / direct.rate,
                reference: "the same client without a relay (\(Int(direct.rate)) pushes/s)"
            ),
            Figure(
                name: "relayed-cpu",
                value: cost,
                unit: "µs of the gateway's processors",
                ratio: cost / direct.cost,
                reference: "the same client's (\(String(format: "%.1f", direct.cost)) µs)"
            ),
        ]
    }
}
