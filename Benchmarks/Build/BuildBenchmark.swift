import Foundation
import Glibc

extension Benchmark {
    /// A newcomer's first builds, without caches: `make demo`, and a package with one test of an app.
    ///
    /// It runs only when it is named: the first build takes about ten minutes on two cores.
    static let build = Benchmark(name: "build", runsByNameOnly: true) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let scratch = FileManager.default.temporaryDirectory.appending(path: "build-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        func build(_ folder: String, _ arguments: String...) throws -> Cost {
            try Cost.of(
                "swift",
                [
                    "build", "--package-path", root.path + "/Benchmarks/\(folder)", "--scratch-path",
                    "\(scratch.path)/\(folder)",
                ]
                    + arguments
            )
        }
        let reference = try build("BuildReference", "-c", "release")
        let outside = try build("Outside", "--build-tests")
        let clone = scratch.path + "/clone"
        do {
            _ = try Cost.of("git", ["clone", "--quiet", "--shared", root.path, clone])
        } catch {
            throw NotMeasured(reason: "\(root.path) cannot be cloned: \(error)")
        }
        let demo = try Cost.of(clone + "/dev/build", ["demo"])
        return [("outside", outside), ("demo", demo)].flatMap { name, cost in
            [
                Figure(
                    name: "\(name)-wall",
                    value: cost.wall / 60,
                    unit: "min",
                    ratio: cost.wall / reference.wall,
                    reference: "a command with swift-argument-parser (\(Int(reference.wall)) s)"
                ),
                Figure(
                    name: "\(name)-cpu",
                    value: cost.cpu,
                    unit: "s of processors",
                    ratio: cost.cpu / reference.cpu,
                    reference: "a command with swift-argument-parser (\(Int(reference.cpu)) s)"
                ),
            ]
        }
    }
}

/// The time that a command takes.
struct Cost {
    /// Seconds of real time.
    let wall: Double
    /// Processor seconds of the command and all processes that it started.
    let cpu: Double

    /// Runs a command to its end.
    ///
    /// - Throws: ``Failed`` with the last of its output.
    static func of(_ command: String, _ arguments: [String]) throws -> Cost {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let (start, before) = (ContinuousClock.now, Self.childrenSeconds())
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(description: "\(command): \(String(decoding: output.suffix(2000), as: UTF8.self))")
        }
        return Cost(wall: start.duration(to: .now) / .seconds(1), cpu: Self.childrenSeconds() - before)
    }

    private static func childrenSeconds() -> Double {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }
}
