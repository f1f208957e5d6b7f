import Foundation

/// All benchmarks, in the order they run.
let benchmarks: [Benchmark] = [.ask, .engine, .extension, .geodesy, .simulation, .updates]

let wanted = CommandLine.arguments.dropFirst().first
guard wanted == nil || benchmarks.contains(where: { $0.name == wanted }) else {
    let names = benchmarks.map(\.name).joined(separator: ", ")
    FileHandle.standardError.write(Data("bench: no benchmark is named \(wanted ?? ""); there are: \(names)\n".utf8))
    exit(2)
}
do {
    for benchmark in benchmarks where wanted == nil || benchmark.name == wanted {
        for figure in try await benchmark.run() {
            let value = String(format: "%.3f", figure.value)
            let ratio = String(format: "%.2f", figure.ratio)
            print(
                "bench \(benchmark.name) \(figure.name): \(value) \(figure.unit), ratio \(ratio) to \(figure.reference)"
            )
        }
    }
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(1)
}
