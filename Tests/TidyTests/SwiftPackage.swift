internal import Foundation

/// Runs `swift package`.
enum SwiftPackage {
    /// A failure of SwiftPM, with its output.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a subcommand.
    ///
    /// - Parameters:
    ///   - arguments: the subcommand and its arguments.
    ///   - directory: the package.
    ///   - environment: variables beside the process's own.
    /// - Returns: its standard output.
    /// - Throws: ``Failure`` if it ends with another status than 0.
    @discardableResult
    static func run(_ arguments: [String], in directory: URL, environment: [String: String] = [:]) throws -> Data {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "tidy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (output, errors) = (scratch.appending(path: "output"), scratch.appending(path: "errors"))
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A separate scratch folder, because the test run that started this process may hold the lock of .build.
        process.arguments = ["swift", "package", "--scratch-path", scratch.appending(path: "build").path] + arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
        return try Data(contentsOf: output)
    }
}
