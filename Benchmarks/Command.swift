internal import Foundation

/// A program that a benchmark runs to its end.
enum Command {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The standard output of a command; its standard error is passed on.
    @discardableResult
    static func output(_ command: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command) exits with \(process.terminationStatus)")
        }
        return String(decoding: output, as: UTF8.self)
    }
}
