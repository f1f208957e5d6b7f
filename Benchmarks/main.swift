import BenchmarkLimits
import Foundation

/// All benchmarks, in the order they run.
let benchmarks: [Benchmark] = [
    .answerCost, .apnsClient, .ask, .build, .dispatch, .engine, .extension, .fixCost, .follow, .gateway, .geodesy,
    .monitor, .nmea, .pushCost, .pushStore, .relay, .server, .simulation, .updates,
]

func complain(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }

let wanted = CommandLine.arguments.dropFirst().first
if wanted == "--help" || wanted == "-h" {
    print(
        """
        usage: benchmarks [NAME]

        Run all benchmarks, or one; exit with 1 if a ratio is past its limit. A name with * runs only by name.

        \(benchmarks.map { $0.name + ($0.runsByNameOnly ? "*" : "") }.joined(separator: "\n"))
        """
    )
    exit(0)
}
guard wanted == nil || benchmarks.contains(where: { $0.name == wanted }) else {
    complain("no benchmark is named \(wanted ?? ""); there are: \(benchmarks.map(\.name).joined(separator: ", "))")
    exit(2)
}
let chosen = benchmarks.filter { wanted == nil ? !$0.runsByNameOnly : $0.name == wanted }
do {
    let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "limits.tsv")
    var check = LimitCheck(try Limits(String(contentsOf: table, encoding: .utf8)))
    for benchmark in chosen {
        do {
            for figure in try await benchmark.run() {
                let limit = check.measured(benchmark.name, figure.name, ratio: figure.ratio)
                let value = String(format: "%.3f", figure.value)
                let ratio = String(format: "%.3g", figure.ratio)
                print(
                    "bench \(benchmark.name) \(figure.name): \(value) \(figure.unit), ratio \(ratio) (\(limit)) to "
                        + figure.reference
                )
            }
        } catch let missing as NotMeasured {
            check.notMeasured(benchmark.name, reason: missing.reason)
        }
    }
    for line in check.ended(chosen.map(\.name)) { print("bench \(line)") }
    check.complaints.forEach(complain)
    exit(check.complaints.isEmpty ? 0 : 1)
} catch {
    complain("\(error)")
    exit(1)
}
