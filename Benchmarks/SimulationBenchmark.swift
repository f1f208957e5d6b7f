internal import Foundation
internal import Rig
internal import SystemSimulator

extension Benchmark {
    /// Virtual seconds in one second of processor time, since other programs may use the cores.
    ///
    /// One device drives, and one app receives a position every second.
    static let simulation = Benchmark(name: "sim") {
        let seconds = 200_000
        // The fastest of three has the least disturbance.
        let rounds = try (0..<3).map { _ in try SimulationProgram.run(seconds: seconds) }
        guard let fastest = rounds.map(\.seconds).min(), let positions = rounds.map(\.positions).min(),
            positions >= seconds * 99 / 100
        else { throw SimulationProgram.Failure(description: "the app was given too few positions: \(rounds)") }
        let speed = Double(seconds) / fastest
        return [
            Figure(
                name: "one device, one app at 1 Hz",
                value: speed,
                unit: "virtual s/s",
                ratio: speed / 1_000_000,
                reference: "the aim of 1,000,000"
            )
        ] + [try Self.days()] + (try Benchmark.wholeSystem())
    }

    /// Days of an app with drawn troubles, in two processes side by side.
    private static func days() throws -> Figure {
        let seeds = 200
        let halves = try [1, 1 + seeds / 2].map { try SimulationProgram.start(["days", "\($0)", "\(seeds / 2)"]) }
        let outputs = try halves.map { try $0.end() }
        let times = outputs.compactMap { Double($0.prefix { !$0.isNewline }) }
        guard let longest = times.max(), times.count == halves.count,
            outputs.allSatisfy({ $0.contains("Reached in \(seeds / 2) stories") && !$0.contains("fails by") })
        else { throw SimulationProgram.Failure(description: "simulation days says \(outputs)") }
        return Figure(
            name: "any device, 200 days in two processes",
            value: longest,
            unit: "s",
            ratio: longest / 20,
            reference: "the aim of 20 s"
        )
    }

    /// A hundred devices, each asked every five minutes, with gateway, server, people and auditors.
    private static func wholeSystem() throws -> [Figure] {
        let scenario = Scenario.fleet(devices: 100, minutes: 30)
        var fastest = Double.infinity
        var last: SimulatedRun?
        for _ in 0..<3 {
            let start = clock()
            let run = SimulatedRun(scenario)
            fastest = min(fastest, Double(clock() - start) / Double(CLOCKS_PER_SEC))
            if let violation = run.violation { throw SimulationProgram.Failure(description: violation.what) }
            last = run
        }
        guard let run = last, run.answered == run.requests else {
            throw SimulationProgram.Failure(
                description: "\(last?.answered ?? 0) of \(last?.requests ?? 0) were answered"
            )
        }
        let seconds = run.elapsed / .seconds(1)
        return [
            Figure(
                name: "whole system, 100 devices",
                value: seconds / fastest,
                unit: "virtual s/s",
                ratio: seconds / fastest,
                reference: "the processor's clock"
            ),
            Figure(
                name: "whole system, requests answered",
                value: Double(run.answered) / fastest,
                unit: "requests/s",
                ratio: seconds / fastest,
                reference: "the same devices in real time"
            ),
        ]
    }
}

/// The program of virtual devices, a separate one because it replaces the executors of its process.
private enum SimulationProgram {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A run of the program.
    struct Running {
        let process: Process
        let pipe: Pipe

        /// Waits for the end of the process; returns its output.
        func end() throws -> String {
            let output = String(decoding: try self.pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            self.process.waitUntilExit()
            return output
        }
    }

    static func start(_ arguments: [String]) throws -> Running {
        let running = Running(process: Process(), pipe: Pipe())
        running.process.executableURL = URL(filePath: try Binaries().path("simulation"))
        running.process.arguments = arguments
        running.process.standardOutput = running.pipe
        try running.process.run()
        return running
    }

    static func run(seconds: Int) throws -> (seconds: Double, positions: Int) {
        let output = try Self.start(["speed", "\(seconds)"]).end()
        let fields = output.split(whereSeparator: \.isWhitespace)
        guard fields.count == 2, let time = Double(fields[0]), let positions = Int(fields[1]) else {
            throw Failure(description: "simulation speed \(seconds) says \(output)")
        }
        return (time, positions)
    }
}
