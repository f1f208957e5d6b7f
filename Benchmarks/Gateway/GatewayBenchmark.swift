internal import Crypto
internal import Foundation
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushLink

extension Benchmark {
    /// The gateway under load, in a release build: optimised, without assertions.
    ///
    /// It runs only when it is named: it makes that build first, which takes about ten minutes on two cores.
    static let gateway = Benchmark(name: "gateway", runsByNameOnly: true) { try await GatewayBenchmark.run() }
}

/// Pushes of 1 KB from `h2load` to 1,000 device tokens: until they are on disk, and until devices have acknowledged them.
///
/// The reference is a server on NIO alone, built alike, which answers each request with 200 and does nothing else.
enum GatewayBenchmark {
    private static let devices = 1000
    private static let requests = 60_000

    /// The programs in a release build.
    private struct Programs {
        let gateway: String
        let bare: String

        /// Builds both programs; the first time with all dependencies.
        init() throws {
            let directory = try Shipping.build(["whereabouts", "bare-http2"])
            self.gateway = directory + "/whereabouts"
            self.bare = directory + "/bare-http2"
        }
    }

    static func run() async throws -> [Figure] {
        let load = try H2Load()
        let programs = try Programs()
        let workspace = try Workspace()
        defer { workspace.remove() }
        func path(_ name: String) -> String { "\(workspace.directory)/\(name)" }
        let (body, log) = (path("body.json"), path("bench.log"))
        let payload = #"{"a":""# + String(repeating: "a", count: 1024 - 8) + #""}"#
        try payload.write(toFile: body, atomically: true, encoding: .utf8)
        let bare = try Child(
            "bare-http2",
            programs.bare,
            [workspace.certificatePath, workspace.privateKeyPath],
            log: log
        )
        defer { bare.terminate() }
        let barePort = try Self.word(
            after: "listening ",
            in: bare.waitForLine(within: 20) { $0.hasPrefix("listening") }
        )
        let gateway = try Child(
            "gateway",
            programs.gateway,
            [
                "gateway", "--certificate", workspace.certificatePath, "--private-key", workspace.privateKeyPath,
                "--key", "\(Workspace.teamID):\(Workspace.keyID):\(workspace.providerKeyPath):\(Fleet.bundle)",
                "--database", path("push.sqlite"),
                "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
            ],
            log: log
        )
        defer { gateway.terminate() }
        let line = try gateway.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let providerPort = try Self.word(after: "provider=127.0.0.1:", in: line)
        let devicePort = try Self.word(after: "device=127.0.0.1:", in: line)

        func client(of port: String) throws -> APNSClient {
            try APNSClient(
                configuration: APNSClient.Configuration(
                    endpoint: Endpoint(host: "localhost", port: Int(port) ?? 0),
                    keys: [
                        SigningKey(teamID: Workspace.teamID, keyID: Workspace.keyID, path: workspace.providerKeyPath)
                    ],
                    trustRoots: .file(workspace.authorityPath)
                ),
                logger: Fleet.logger
            )
        }
        let provider = try client(of: providerPort)
        var link = PushLinkClient.Configuration(
            host: "127.0.0.1",
            port: Int(devicePort) ?? 0,
            trustRootsPath: workspace.authorityPath
        )
        link.countsSleep = false
        let fleet = try await Fleet(count: Self.devices, link, provider: provider)

        func addresses(_ name: String, port: String) throws -> String {
            let lines = fleet.tokens.map { "https://127.0.0.1:\(port)/3/device/\($0.hex)\n" }
            let path = path(name)
            try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let (bareAddresses, gatewayAddresses) = (
            try addresses("bare", port: barePort), try addresses("gateway", port: providerPort)
        )
        let headers =
            ["authorization: bearer \(try Self.providerToken(workspace))"]
            + ["apns-topic: \(Fleet.topic)", "apns-push-type: location", "apns-priority: 10"]
        func measure(_ process: Child, _ addresses: String, _ connections: Int) throws -> Measured {
            let before = ProcessorTime.of(process.pid)
            let outcome = try load.run(
                addresses,
                body: body,
                headers: headers,
                connections: connections,
                requests: Self.requests,
                log: log
            )
            guard outcome.accepted == Self.requests else {
                throw RigError(process.name, "took \(outcome.accepted) of \(Self.requests) requests")
            }
            return Measured(rate: outcome.rate, processor: ProcessorTime.of(process.pid) - before)
        }

        var figures: [Figure] = []
        var deliveredRate = 0.0
        for connections in [1, 10] {
            // Warm caches and connections first, so that they favour no server.
            _ = try measure(bare, bareAddresses, connections)
            let reference = try measure(bare, bareAddresses, connections)
            let before = fleet.delivered
            let start = ContinuousClock.now
            let delivered = try measure(gateway, gatewayAddresses, connections)
            while fleet.delivered - before < Self.requests, start.duration(to: .now) < .seconds(120) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let rate = Double(fleet.delivered - before) / (start.duration(to: .now) / .seconds(1))
            deliveredRate = max(deliveredRate, rate)
            figures.append(Self.figure("delivered-\(connections)", rate, reference))
            figures.append(Self.cpuFigure("delivered-\(connections)-cpu", delivered, reference))
        }
        let bareProvider = try client(of: barePort)
        figures.append(
            try await DeliveryTime.figure(fleet, rate: deliveredRate / 2, gateway: provider, bare: bareProvider)
        )
        for client in [provider, bareProvider] { await client.shutdown() }
        try await fleet.disconnect()
        for connections in [1, 10] {
            let reference = try measure(bare, bareAddresses, connections)
            let accepted = try measure(gateway, gatewayAddresses, connections)
            figures.append(Self.figure("accepted-\(connections)", accepted.rate, reference))
            figures.append(Self.cpuFigure("accepted-\(connections)-cpu", accepted, reference))
        }
        figures.append(
            try await IdleLinks.figure(
                gateway: programs.gateway,
                bare: bare,
                barePort: Int(barePort) ?? 0,
                workspace,
                log: log
            )
        )
        return figures
    }

    /// A run's requests a second, and the processor seconds of its server.
    private struct Measured {
        let rate: Double
        let processor: Double
        /// Processor microseconds for one request.
        var each: Double { self.processor / Double(GatewayBenchmark.requests) * 1e6 }
    }

    private static func figure(_ name: String, _ rate: Double, _ reference: Measured) -> Figure {
        Figure(
            name: name,
            value: rate,
            unit: "pushes/s",
            ratio: rate / reference.rate,
            reference: "a bare server on NIO (\(Int(reference.rate)) requests/s)"
        )
    }

    private static func cpuFigure(_ name: String, _ measured: Measured, _ reference: Measured) -> Figure {
        Figure(
            name: name,
            value: measured.each,
            unit: "µs of processors",
            ratio: measured.each / reference.each,
            reference: "a bare server on NIO (\(String(format: "%.1f", reference.each)) µs)"
        )
    }

    private static func word(after mark: String, in line: String) throws -> String {
        guard let start = line.range(of: mark)?.upperBound else { throw RigError("a server", "said '\(line)'") }
        return String(line[start...].prefix { $0 != " " })
    }

    /// A new provider token, signed with the key of the workspace.
    private static func providerToken(_ workspace: Workspace) throws -> String {
        func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let key = try P256.Signing.PrivateKey(
            pemRepresentation: String(contentsOfFile: workspace.providerKeyPath, encoding: .utf8)
        )
        let header = part(Data(#"{"alg":"ES256","kid":"\#(Workspace.keyID)"}"#.utf8))
        let claims = #"{"iss":"\#(Workspace.teamID)","iat":\#(Int(Date.now.timeIntervalSince1970))}"#
        let signed = "\(header).\(part(Data(claims.utf8)))"
        return "\(signed).\(part(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }
}

/// The time that processors spent on a process.
enum ProcessorTime {
    /// Returns the seconds so far, of user and system together; 0 when there is no such process.
    static func of(_ pid: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return 0 }
        // Fields 14 and 15 of proc(5), counted from behind the name, in hundredths.
        let fields = text[name...].split(separator: " ")
        return [fields[12], fields[13]].compactMap { Double($0) }.reduce(0, +) / 100
    }
}
