internal import Foundation
internal import Rig

extension Benchmark {
    /// A release build of our client against other clients, on servers that do almost nothing.
    ///
    /// It runs only when it is named: it builds first, and fetches a client from PyPI.
    static let apnsClient = Benchmark(name: "apns-client", runsByNameOnly: true) {
        try await APNSClientBenchmark.run()
    }
}

/// Pushes of 1 KB, 100 at a time on one connection: ours against those of `h2load`, and of aioapns in Python.
enum APNSClientBenchmark {
    private static let pushes = 60_000
    private static let concurrent = 100
    private static let app = "com.example.Bench"
    /// The device token of all: 32 bytes.
    private static let path = "/3/device/" + String(repeating: "ab", count: 32)

    static func run() async throws -> [Figure] {
        let h2load = try H2Load()
        guard
            let nghttpd = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd"].first(where: FileManager.default.isExecutableFile)
        else { throw NotMeasured(reason: "nghttpd is missing; apt-get install nghttp2-server") }
        let ours = try Shipping.build(["apns-load"]) + "/apns-load"
        let python = try Self.aioapns()
        let workspace = try Workspace()
        defer { workspace.remove() }
        func path(_ name: String) -> String { "\(workspace.directory)/\(name)" }
        let log = path("bench.log")

        /// The accepted pushes a second, and the processor seconds that they took.
        func send(_ program: String, _ first: [String], port: Int, pushes: Int) throws -> (rate: Double, cost: Double) {
            let arguments =
                first + [
                    "\(port)", workspace.authorityPath, workspace.providerKeyPath, Workspace.teamID, Workspace.keyID,
                    Self.app, "\(pushes)", "\(Self.concurrent)",
                ]
            let child = try Child("sender", program, arguments, log: log)
            let line = try child.waitForLine(within: 300) { $0.hasPrefix("accepted ") }
            let cost = ProcessorTime.of(child.pid)
            _ = try child.waitForEnd(within: 20)
            let words = line.split(separator: " ")
            guard words.count == 4, words[1] == "\(pushes)", let seconds = Double(words[3]) else {
                throw RigError(program, "said '\(line)'")
            }
            return (Double(pushes) / seconds, cost / Double(pushes) * 1e6)
        }

        // nghttpd answers with a file, which has to be there.
        let root = path("htdocs")
        try FileManager.default.createDirectory(atPath: root + "/3/device", withIntermediateDirectories: true)
        try "{}".write(toFile: root + Self.path, atomically: true, encoding: .utf8)
        let body = path("body.json")
        try (#"{"a":""# + String(repeating: "a", count: 1024 - 8) + #""}"#)
            .write(toFile: body, atomically: true, encoding: .utf8)
        let port = Int(try Loopback.freePort())
        let server = try Child(
            "nghttpd",
            nghttpd,
            ["-d", root, "\(port)", workspace.privateKeyPath, workspace.certificatePath],
            log: log
        )
        defer { server.terminate() }
        try Loopback.waitForListener(on: UInt16(port), within: 20)
        let addresses = path("addresses")
        try "https://127.0.0.1:\(port)\(Self.path)\n".write(toFile: addresses, atomically: true, encoding: .utf8)
        // As many bytes of headers as our client sends; the provider token is the longest header.
        let token = "authorization: bearer " + String(repeating: "aB3_", count: 50)
        func load() throws -> Double {
            let outcome = try h2load.run(
                addresses,
                body: body,
                headers: [token, "apns-topic: \(Self.app).location-query", "apns-push-type: location"],
                connections: 1,
                requests: Self.pushes,
                log: log
            )
            guard outcome.accepted == Self.pushes else { throw RigError("nghttpd", "took \(outcome.accepted)") }
            return outcome.rate
        }
        // Warm the caches first, so that they favour no client.
        _ = try load()
        let reference = try load()
        let measured = try send(ours, ["send"], port: port, pushes: Self.pushes)

        let echo = try Child(
            "apns-load serve",
            ours,
            ["serve", workspace.certificatePath, workspace.privateKeyPath],
            log: log
        )
        defer { echo.terminate() }
        let line = try echo.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let echoPort = Int(line.dropFirst("listening ".count)) ?? 0
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "aioapns-load.py").path
        let inPython = try send(python, [script], port: echoPort, pushes: Self.pushes / 20)
        let inSwift = try send(ours, ["send"], port: echoPort, pushes: Self.pushes)
        return [
            Figure(
                name: "nghttpd",
                value: measured.rate,
                unit: "pushes/s",
                ratio: measured.rate / reference,
                reference: "h2load (\(Int(reference)) requests/s)"
            ),
            Figure(
                name: "echo",
                value: inSwift.rate,
                unit: "pushes/s",
                ratio: inSwift.rate / inPython.rate,
                reference: "aioapns (\(Int(inPython.rate)) pushes/s)"
            ),
            Figure(
                name: "cpu",
                value: inSwift.cost,
                unit: "µs of processors",
                ratio: inSwift.cost / inPython.cost,
                reference: "aioapns (\(String(format: "%.1f", inPython.cost)) µs)"
            ),
        ]
    }

    /// The Python with aioapns, which is installed the first time.
    private static func aioapns() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let python = root + "/.build/aioapns/bin/python"
        if FileManager.default.isExecutableFile(atPath: python) { return python }
        do {
            try Command.output("python3", ["-m", "venv", root + "/.build/aioapns"])
            try Command.output(python, ["-m", "pip", "install", "--quiet", "aioapns==4.0"])
        } catch {
            throw NotMeasured(reason: "aioapns cannot be fetched from PyPI with python3 (\(error))")
        }
        return python
    }
}
