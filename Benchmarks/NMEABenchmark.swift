internal import FieldLogs
internal import Foundation
internal import Glibc
internal import WhereaboutsLocationSources

extension Benchmark {
    /// NMEA 0183 to fixes, against `gpsdecode` on the same bytes; one core, CPU time of both.
    static let nmea = Benchmark(name: "nmea") {
        let log = try NMEAReference.log()
        let reference = try NMEAReference.gpsdecode(log)
        let ours = NMEAReference.measure(log)
        guard ours.fixes > 0 else { throw NMEAReference.Failure(description: "the log has no fix") }
        return [
            Figure(
                name: "decode",
                value: ours.rate,
                unit: "MB/s",
                ratio: ours.rate / reference,
                reference: "gpsdecode, which also prints"
            )
        ]
    }
}

/// One log, read by `NMEADecoder` and by gpsd's decoder.
private enum NMEAReference {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The least length: some seconds of gpsdecode, so that its start does not count.
    static let bytesMin = 24_000_000
    static let rounds = 5

    /// Logs of real receivers if there are some, otherwise the logs of `Tests/Logs`, repeated.
    static func log() throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let ours = root.appending(path: "Tests/Logs")
        if FieldLogs.folder == nil { complain("nmea: \(FieldLogs.absence); those of \(ours.path) are read") }
        let folders = [FieldLogs.folder?.appending(path: "gpsd"), ours].compactMap(\.self)
        for folder in folders {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            let logs = files.filter { $0.hasSuffix(".log") || $0.hasSuffix(".nmea") }.sorted()
            var lap: [UInt8] = []
            for name in logs { lap += try Data(contentsOf: folder.appending(path: name)) + [UInt8(ascii: "\n")] }
            guard !lap.isEmpty else { continue }
            var log: [UInt8] = []
            while log.count < self.bytesMin { log += lap }
            return log
        }
        throw NotMeasured(reason: "there are no logs of receivers in \(folders.map(\.path))")
    }

    /// The rate of `gpsdecode` for the log, in MB per second of CPU time.
    static func gpsdecode(_ log: [UInt8]) throws -> Double {
        let file = FileManager.default.temporaryDirectory.appending(path: "nmea-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(log).write(to: file)
        let before = self.seconds(of: RUSAGE_CHILDREN.rawValue)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gpsdecode"]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw NotMeasured(reason: "gpsdecode is missing, or fails; apt-get install gpsd-clients")
        }
        return Double(log.count) / 1e6 / (self.seconds(of: RUSAGE_CHILDREN.rawValue) - before)
    }

    /// The rate of `NMEADecoder` in the fastest round, and the fixes of one round.
    static func measure(_ log: [UInt8]) -> (rate: Double, fixes: Int) {
        var (fastest, fixes) = (Double.infinity, 0)
        for _ in 0..<self.rounds {
            fixes = 0
            var decoder = NMEADecoder(learnsCycle: true)
            let before = self.seconds(of: RUSAGE_SELF.rawValue)
            // Pieces of the size that a socket delivers.
            for start in stride(from: 0, to: log.count, by: 4096) {
                for event in decoder.feed(log[start..<min(start + 4096, log.count)]) {
                    if case .measured(.fix) = event { fixes += 1 }
                }
            }
            fastest = min(fastest, self.seconds(of: RUSAGE_SELF.rawValue) - before)
        }
        return (Double(log.count) / 1e6 / fastest, fixes)
    }

    /// CPU seconds, of the process or of its children that ended.
    private static func seconds(of whose: __rusage_who_t) -> Double {
        var usage = rusage()
        guard unsafe getrusage(whose, &usage) == 0 else { return 0 }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
