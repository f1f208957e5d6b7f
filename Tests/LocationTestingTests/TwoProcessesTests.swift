internal import Foundation
internal import Testing

/// One seed, two processes, one story: what no test within one process can show.
@Suite struct TwoProcessesTests {
    private static func fingerprint(seed: Int) throws -> String {
        // SwiftPM puts all products of a build into one folder, that of the test bundle.
        let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let process = Process()
        process.executableURL = URL(filePath: bundle).deletingLastPathComponent().appending(path: "simulation")
        process.arguments = ["trace", "\(seed)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func threeAppsLiveTheSameHour() async throws {
        let (first, second, other) = try await withCheckedThrowingContinuation { continuation in
            // Off the pool that the tests share: it waits for processes.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        (
                            try Self.fingerprint(seed: 1), try Self.fingerprint(seed: 1),
                            try Self.fingerprint(seed: 2)
                        )
                    }
                )
            }
        }
        #expect(!first.isEmpty)
        #expect(first == second)
        #expect(first != other)
    }
}
