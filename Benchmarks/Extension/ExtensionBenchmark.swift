internal import Foundation
internal import Rig
internal import WhereaboutsCLinux

extension Benchmark {
    /// The time from a push to the extension's method and its first fix; the memory of an idle locationd.
    static let `extension` = Benchmark(name: "extension") { try ExtensionBenchmark.run() }
}

/// From the push at locationd's socket to the payload in the extension's method, and to the first fix in it; the extension
/// is started cold each time.
///
/// The reference is a posix_spawn of the same binary until the first line of its `main.swift` has written a line.
enum ExtensionBenchmark {
    static let pushes = 60
    static let apps = 100

    static func run() throws -> [Figure] {
        let installation = try Installation()
        defer {
            installation.stop()
            installation.workspace.remove()
        }
        // More pushes than the default budget of a day.
        let policy = ["push-budget-capacity": "1000", "receiver-linger": "3"]
        try installation.startAll(policy: policy)
        try installation.replaceExtension(by: installation.binaries.path("ProbeExtension"))
        let probe = try Probe(installation)
        _ = try probe.push("fix")
        var begun: [Double] = []
        var payload: [Double] = []
        var recent: [Double] = []
        var reference: [Double] = []
        for _ in 0..<self.pushes {
            reference.append(try self.spawn(installation))
            let times = try probe.push("fix")
            begun.append(times.begun)
            payload.append(times.payload)
            recent.append(times.fix)
        }
        var cold: [Double] = []
        for _ in 0..<8 {
            try probe.waitUntilTheReceiverIsOff()
            cold.append(try probe.push("fix").fix)
        }
        let floor = reference.quantile(0.5)
        func figure(_ name: String, _ values: [Double], _ share: Double) -> Figure {
            Figure(
                name: name,
                value: values.quantile(share),
                unit: "ms",
                ratio: values.quantile(share) / floor,
                reference:
                    "posix_spawn of the same binary up to its first line, p50 \(String(format: "%.1f", floor)) ms"
            )
        }
        return [
            figure("main-p50", begun, 0.5),
            figure("payload-p50", payload, 0.5), figure("payload-p95", payload, 0.95),
            figure("fix-recent-p50", recent, 0.5), figure("fix-receiver-off-p50", cold, 0.5),
        ] + (try self.memory(installation))
    }

    /// Milliseconds until a process of the extension's binary, started by hand, has begun.
    private static func spawn(_ installation: Installation) throws -> Double {
        let begin = clinux_boottime()
        let child = try Child(
            "the extension by hand",
            installation.binaries.path("ProbeExtension"),
            ["--greet"],
            log: "/dev/null"
        )
        _ = try child.waitForLine(within: 20) { _ in true }
        let time = Double(clinux_boottime() - begin) / 1e6
        _ = try child.waitForEnd(within: 20)
        return time
    }
}
