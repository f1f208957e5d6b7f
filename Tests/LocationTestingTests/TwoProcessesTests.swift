internal import Foundation
internal import Testing

/// Goal: two processes with the same seed play the same story, which a test within one process cannot show.
@Suite struct TwoProcessesTests {
    private static func output(_ arguments: String...) throws -> String {
        // SwiftPM puts all products of a build into one folder, that of the test bundle.
        let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let process = Process()
        process.executableURL = URL(filePath: bundle).deletingLastPathComponent().appending(path: "simulation")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs programs outside the shared thread pool, because it waits for processes.
    private static func apart<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
        }
    }

    @Test func threeAppsLiveTheSameHour() async throws {
        let (first, second, other) = try await Self.apart {
            (try Self.output("trace", "1"), try Self.output("trace", "1"), try Self.output("trace", "2"))
        }
        #expect(!first.isEmpty)
        #expect(first == second)
        #expect(first != other)
    }

    /// Goal: a failure that `.anyDevice` finds has the same smallest story and timeline in each process.
    @Test func aFailureIsFoundAndMadeSmallerAlike() async throws {
        let (first, second) = try await Self.apart { (try Self.output("failure"), try Self.output("failure")) }
        #expect(first.contains("fails by throwing LaunchedTwice()"), "\(first)")
        #expect(first == second)
    }
}
