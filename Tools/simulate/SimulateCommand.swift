import ArgumentParser
import Foundation
import SystemSimulator
internal import WhereaboutsJSONReading

/// Runs the whole system in virtual time, seed after seed, until one breaks a rule.
@main
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract:
            "Runs devices, apps, people, requesters, gateway and server in virtual time, with everything that goes wrong.",
        discussion: """
            Each seed is one world. Its auditors object when a position is sent without consent, when a request ends twice or \
            not at all, when something acknowledged is lost. The first seed that fails is made smaller, kept as a file, and \
            printed with the command that repeats it.

            A seed may mean another world in another version; a file that a failure kept stays the same world.

            Exit codes: 0 all seeds passed, 1 one failed, 64 wrong arguments.
            """
    )

    @Option(help: ArgumentHelp("The first seed.", valueName: "number"))
    var first: UInt64 = 1

    @Option(help: ArgumentHelp("How many seeds to run.", valueName: "count"))
    var seeds: UInt64 = 2000

    @Option(help: ArgumentHelp("For how many hours to run seeds, instead of a count.", valueName: "hours"))
    var hours: Double?

    @Option(help: ArgumentHelp("Run only this scenario, from a file that a failure stored.", valueName: "file"))
    var replay: String?

    @Option(help: ArgumentHelp("The directory for scenarios that fail.", valueName: "directory"))
    var keep = ".build/simulate"

    @Flag(help: "Run each seed again for every write of every machine, which dies there: hundreds of worlds a seed.")
    var everyWrite = false

    @Flag(help: "Draw worlds whose only faults are attacks by strangers and lying servers.")
    var besieged = false

    @Flag(help: "Print the last 400 events.")
    var trace = false

    @Flag(help: "Print how often each kind of event happened.")
    var census = false

    func validate() throws {
        if let hours, !(hours > 0 && hours < 10_000) {
            throw ValidationError("--hours must be above 0 and below 10000")
        }
        if self.seeds == 0 { throw ValidationError("--seeds must be at least 1") }
    }

    func run() throws {
        if let replay {
            let scenario: Scenario
            do {
                scenario = try JSONReader().decode(Scenario.self, from: Data(contentsOf: URL(filePath: replay)))
                try scenario.check()
            } catch {
                throw ValidationError("--replay \(replay) is not a scenario that a failure stored: \(error)")
            }
            let run = SimulatedRun(scenario, keepsLines: true)
            if self.trace || run.violation != nil { self.show(run) }
            var total = Total()
            total.add(run)
            total.endSeed()
            print(total)
            if run.violation != nil { throw ExitCode.failure }
            return
        }
        try self.makeKeep()
        var total = Total()
        let deadline = self.hours.map { ContinuousClock.now + .seconds($0 * 3600) }
        var lastWord = ContinuousClock.now
        while deadline.map({ ContinuousClock.now < $0 }) ?? (total.seeds < self.seeds) {
            let seed = self.first &+ total.seeds
            let drawn = self.besieged ? Scenario.besieged(seed: seed) : Scenario(seed: seed)
            for scenario in [drawn] + (self.everyWrite ? drawn.dyingAtEveryWrite() : []) {
                let run = SimulatedRun(scenario, keepsLines: self.trace, takesCensus: self.census)
                total.add(run)
                if self.trace { self.show(run) }
                if ContinuousClock.now - lastWord > .seconds(10) {
                    lastWord = .now
                    self.say("\(total)")
                }
                guard let violation = run.violation else { continue }
                try self.fail(seed, scenario, violation)
                total.endSeed()
                print(total)
                throw ExitCode.failure
            }
            total.endSeed()
        }
        if self.census { total.printCensus() }
        print(total)
        // A result must be readable.
        guard fflush(nil) == 0 else { throw Unwritable() }
    }

    /// First prints the failure and how to repeat it, then makes the scenario smaller and stores it.
    private func fail(_ seed: UInt64, _ scenario: Scenario, _ violation: Violation) throws {
        print("seed \(seed) breaks a rule: \(violation.what)")
        let flags = (self.everyWrite ? "--every-write" : "--trace") + (self.besieged ? " --besieged" : "")
        print("  repeat it:         simulate --first \(seed) --seeds 1 \(flags)")
        self.say("seed \(seed) fails: \(violation.what); making it smaller")
        let smaller = SimulatedRun(scenario.shrunk(violation), keepsLines: true)
        self.show(smaller)
        let path = "\(self.keep)/seed-\(seed).json"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(smaller.scenario).write(to: URL(filePath: path))
        print("  the smaller world: simulate --replay '\(path)'")
    }

    /// Creates the directory at the beginning, so that a failure to write is noticed before the runs.
    private func makeKeep() throws {
        do {
            try FileManager.default.createDirectory(atPath: self.keep, withIntermediateDirectories: true)
        } catch {
            throw ValidationError("--keep \(self.keep) cannot be made: give a directory that can be written")
        }
        guard FileManager.default.isWritableFile(atPath: self.keep) else {
            throw ValidationError("--keep \(self.keep) cannot be written: give another directory")
        }
    }

    private func show(_ run: SimulatedRun) {
        for line in run.trace.lines { print(line) }
        if let violation = run.violation { print("\(violation.instant) VIOLATION: \(violation.what)") }
    }

    private func say(_ line: String) { FileHandle.standardError.write(Data("simulate: \(line)\n".utf8)) }
}

private struct Unwritable: Error, CustomStringConvertible {
    let description = "standard output cannot be written; the result is lost"
}

/// The sum of some runs, as one line.
private struct Total: CustomStringConvertible {
    private(set) var seeds: UInt64 = 0
    private var runs = 0
    private var elapsed = Duration.zero
    private var requests = 0
    private var answered = 0
    private var hash: UInt64 = 0
    private var census = Census()

    mutating func endSeed() { self.seeds += 1 }

    mutating func add(_ run: SimulatedRun) {
        self.runs += 1
        self.elapsed += run.elapsed
        self.requests += run.requests
        self.answered += run.answered
        self.census.add(run.census)
        // Their order counts too.
        self.hash = (self.hash ^ run.trace.hash) &* 0x0000_0100_0000_01B3
    }

    func printCensus() {
        for (name, count) in self.census.counts.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(name)") }
    }

    var description: String {
        let hours = String(format: "%.1f", Double(self.elapsed.components.seconds) / 3600)
        let digits = String(self.hash, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.count) + digits
        let worlds = UInt64(self.runs) == self.seeds ? "" : " in \(self.runs) worlds"
        return "simulated \(self.seeds) seeds\(worlds), \(hours) virtual hours, \(self.requests) requests, "
            + "\(self.answered) answered, trace \(padded)"
    }
}
