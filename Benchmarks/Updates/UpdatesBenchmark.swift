internal import Foundation
internal import Rig

extension Benchmark {
    /// The time from the receiver to the body of the loop in each app, and the cost of a delivered fix.
    static let updates = Benchmark(name: "updates") { try UpdatesBenchmark.run() }
}

/// One receiver, read by locationd and by gpsd in turn, each with as many clients of its own kind.
///
/// A client of locationd is a process that iterates `CLLocationUpdate.liveUpdates()`; a client of gpsd reads its JSON and
/// looks for the time and the latitude. Both record when each fix came.
enum UpdatesBenchmark {
    /// Seconds from the last client's first fix to the measurement.
    ///
    /// A receiver's first fixes wait for the next one, until it is known which sentence is its last.
    static let settling = 2.0
    /// Seconds of each measurement.
    static let seconds = 12.0
    /// gpsd accepts 64 clients (its MAX_CLIENTS), and uses some of them itself.
    static let gpsdClientsMax = 60

    static func run() throws -> [Figure] {
        let workspace = try Workspace()
        defer {
            workspace.killProcesses()
            workspace.remove()
        }
        let bench = try Bench(workspace: workspace)
        var figures: [Figure] = []
        for (clients, rate) in [(1, 10.0), (10, 10.0), (100, 10.0), (1, 1000.0)] {
            let name = rate > 10 ? "full-speed" : "\(clients)-clients"
            let others = min(clients, self.gpsdClientsMax)
            let gpsd = try bench.measure(.gpsd, clients: others, rate: rate, label: "\(name)-gpsd")
            let ours = try bench.measure(.locationd, clients: clients, rate: rate, label: "\(name)-locationd")
            func figure(_ what: String, _ unit: String, _ value: (Outcome) -> Double) -> Figure {
                let whom = others < clients ? " with \(others) clients, as many as it takes" : ""
                let reference = "gpsd \(String(format: "%.3f", value(gpsd))) \(unit)\(whom)"
                return Figure(
                    name: "\(name)-\(what)",
                    value: value(ours),
                    unit: unit,
                    ratio: value(ours) / value(gpsd),
                    reference: reference
                )
            }
            figures += [
                figure("p50", "ms") { $0.latencies.quantile(0.5) },
                figure("p99", "ms") { $0.latencies.quantile(0.99) },
                figure("cpu", "µs a delivered fix") { $0.cpu / Double($0.latencies.count) / 1000 },
                figure("delivered", "fixes/s a client") {
                    Double($0.latencies.count) / $0.seconds / Double($0.clients)
                },
            ]
        }
        return figures + (try self.runThroughGeoClue(bench))
    }

    /// Programs that use GeoClue's bus name: served by locationd-geoclue, and by GeoClue itself.
    private static func runThroughGeoClue(_ bench: Bench) throws -> [Figure] {
        try [1, 10].flatMap { clients in
            let name = "geoclue-\(clients)-clients"
            let theirs = try bench.measure(.geoClue, clients: clients, rate: 10, label: "\(name)-geoclue")
            let ours = try bench.measure(.locationdGeoClue, clients: clients, rate: 10, label: "\(name)-locationd")
            func figure(_ what: String, _ unit: String, _ value: (Outcome) -> Double) -> Figure {
                Figure(
                    name: "\(name)-\(what)",
                    value: value(ours),
                    unit: unit,
                    ratio: value(ours) / value(theirs),
                    reference: "GeoClue \(String(format: "%.3f", value(theirs))) \(unit)"
                )
            }
            return [
                figure("p50", "ms") { $0.latencies.quantile(0.5) },
                figure("p99", "ms") { $0.latencies.quantile(0.99) },
                figure("cpu", "µs a delivered fix") { $0.cpu / Double($0.latencies.count) / 1000 },
                figure("delivered", "fixes/s a client") {
                    Double($0.latencies.count) / $0.seconds / Double($0.clients)
                },
            ]
        }
    }

    /// The programs that read the receiver and serve the clients.
    enum Reader {
        case gpsd, locationd
        /// GeoClue, and locationd with the program that has its name.
        case geoClue, locationdGeoClue
    }

    /// The result of one measurement.
    struct Outcome {
        /// Milliseconds, of every fix of every client.
        var latencies: [Double] = []
        /// Nanoseconds of the server and all clients.
        var cpu = 0.0
        var seconds = 0.0
        var clients = 0
    }
}

/// The programs of one run.
struct Bench {
    /// The servers of one measurement.
    struct Servers {
        /// The processes to end after a run, in reverse order.
        var children: [Child]
        /// The processes whose time on a processor counts.
        var processes: [Int32]
        /// Starts the client with this number.
        var client: (Int) throws -> Child
        /// When the epoch of a client's line was sent; nil: never.
        var sent: (_ words: [Int64]) -> Int64?
    }

    let workspace: Workspace
    let binaries: Binaries
    private let gpsd: String

    init(workspace: Workspace) throws {
        self.workspace = workspace
        self.binaries = try Binaries()
        guard let gpsd = Binaries.system("gpsd") else {
            throw NotMeasured(reason: "gpsd, the reference, is not installed; apt-get install gpsd")
        }
        self.gpsd = gpsd
    }

    func measure(
        _ reader: UpdatesBenchmark.Reader,
        clients: Int,
        rate: Double,
        label: String
    ) throws -> UpdatesBenchmark.Outcome {
        let socket = reader == .geoClue ? self.workspace.directory + "/receiver.sock" : nil
        let feed = try ReceiverFeed(rate: rate, path: socket)
        defer { feed.end() }
        let log = workspace.logs + "/\(label).log"
        let servers =
            switch reader {
            case .gpsd: try self.startGPSD(feed, log: log)
            case .locationd: try self.startLocationd(feed, clients: clients, label: label, log: log)
            case .geoClue: try self.startGeoClue(feed, socket ?? "", label: label, log: log)
            case .locationdGeoClue: try self.startLocationdGeoClue(feed, label: label, log: log)
            }
        defer { for server in servers.children.reversed() { server.terminate() } }
        let children = try (0..<clients).map { try servers.client($0) }
        defer { for child in children { child.kill() } }
        for child in children { _ = try child.waitForLine(within: 60) { $0 == "ready" } }
        usleep(UInt32(UpdatesBenchmark.settling * 1e6))
        let (begin, cpu) = (ReceiverFeed.monotonic(), try servers.processes.map(Self.cpu).reduce(0, +))
        usleep(UInt32(UpdatesBenchmark.seconds * 1e6))
        var outcome = UpdatesBenchmark.Outcome()
        outcome.clients = clients
        let end = ReceiverFeed.monotonic()
        outcome.cpu = try servers.processes.map(Self.cpu).reduce(0, +) - cpu
        outcome.seconds = Double(end - begin) / 1e9
        feed.moveSouth()
        for child in children {
            let lines = try child.waitForEnd(within: 60).output.split(separator: "\n")
            let seen = lines.dropFirst().compactMap { line -> (words: [Int64], arrival: Int64)? in
                let words = line.split(separator: " ").compactMap { Int64($0) }
                return words.count >= 2 ? (words, words[1]) : nil
            }
            let counted = seen.filter { begin <= $0.arrival && $0.arrival < end }
            guard let spent = lines.first.flatMap({ Double($0) }), !counted.isEmpty else {
                throw RigError(child.name, "it saw no fixes; see \(log)")
            }
            outcome.cpu += spent * Double(counted.count) / Double(seen.count)
            outcome.latencies += try counted.map { fix in
                guard let sent = servers.sent(fix.words) else {
                    throw RigError(child.name, "a fix that was never sent")
                }
                return Double(fix.arrival - sent) / 1e6
            }
        }
        return outcome
    }

    /// Finds an epoch by its time of day in milliseconds.
    func sentByTime(_ feed: ReceiverFeed) -> ([Int64]) -> Int64? { { feed.sent($0[0] % 86_400_000) } }

    private func startGPSD(_ feed: ReceiverFeed, log: String) throws -> Servers {
        let port = try Loopback.freePort()
        let server = try Child(
            "gpsd",
            self.gpsd,
            ["-N", "-n", "-S", "\(port)", "tcp://127.0.0.1:\(feed.port)"],
            log: log
        )
        try Loopback.waitForListener(on: port, within: 20)
        let client = self.binaries.path("gpsd-client")
        return Servers(
            children: [server],
            processes: [server.pid],
            client: { try Child("client \($0)", client, ["\(port)"], log: log) },
            sent: self.sentByTime(feed)
        )
    }

    private func startLocationd(
        _ feed: ReceiverFeed,
        clients: Int,
        label: String,
        log: String
    ) throws -> Servers {
        let (state, runtime) = ("\(self.workspace.directory)/\(label)", "\(self.workspace.directory)/run")
        // The clients are started by hand, and count as in use because the owner's rules make all apps headless.
        let rules = "\(self.workspace.directory)/rules.json"
        try Data(#"{"everyApp": {"headless": true}}"#.utf8).write(to: URL(fileURLWithPath: rules))
        let server = try Child(
            "locationd",
            self.binaries.path("locationd"),
            [
                "--state", state, "--runtime", runtime, "--nmea", "127.0.0.1:\(feed.port)", "--log-level", "warning",
                "--management", rules,
            ],
            log: log
        )
        _ = try server.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let environment = ["LOCATIOND_RUNTIME": runtime]
        func command(_ arguments: [String]) throws {
            let child = try Child(
                "locationctl",
                self.binaries.path("locationctl"),
                arguments,
                environment: environment,
                log: log
            )
            let ended = try child.waitForEnd(within: 20)
            guard ended.status == 0 else { throw RigError("locationctl", "exit status \(ended.status); see \(log)") }
        }
        for number in 0...(clients - 1) / Self.clientsOfAnApp {
            try command(["install", self.makeApp(number)])
            try command(["authorize", "com.example.Updates\(number)", "while-using"])
        }
        return Servers(
            children: [server],
            processes: [server.pid],
            client: { number in
                let bundle = "com.example.Updates\(number / Self.clientsOfAnApp)"
                let client = "\(state)/apps/\(bundle)/Updates.app/updates-client"
                return try Child("client \(number)", client, [], environment: environment, log: log)
            },
            sent: self.sentByTime(feed)
        )
    }

    /// The maximum number of connections that locationd accepts from one app.
    private static let clientsOfAnApp = 16

    private func makeApp(_ number: Int) throws -> String {
        let app = "\(self.workspace.directory)/Updates.app"
        try? FileManager.default.removeItem(atPath: app)
        try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: self.binaries.path("updates-client"), toPath: app + "/updates-client")
        let info = [
            "CFBundleIdentifier": "com.example.Updates\(number)", "CFBundleExecutable": "updates-client",
            "NSLocationWhenInUseUsageDescription": "It measures how soon it knows where it is.",
        ]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: app + "/Info.plist"))
        return app
    }

    /// The time all threads of a process spent on a processor, in nanoseconds.
    private static func cpu(of pid: Int32) throws -> Double {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").reduce(0) { sum, thread in
            let text = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/schedstat", encoding: .utf8)
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0)
        }
    }
}
