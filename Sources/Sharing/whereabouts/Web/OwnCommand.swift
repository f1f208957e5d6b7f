internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization
internal import WhereaboutsCLinux

/// Runs this program again with other arguments, and captures its output.
final class OwnCommand: Sendable {
    /// The outcome of a run.
    struct Ended: Sendable {
        let status: Int32
        /// The lines of standard output.
        let lines: [String]
        /// Standard error.
        let errors: String
    }

    /// The path at which the program finds its input.
    static let inputPath = "/dev/stdin"
    /// The maximum number of lines of output to keep; the oldest is dropped.
    static let linesMax = 4096

    /// The ID of the running process; 0 if there is none.
    private let process = Mutex<pid_t>(0)
    private let errors = Mutex(Data())

    /// Runs the program until it exits.
    ///
    /// - Parameters:
    ///   - arguments: without the program.
    ///   - input: the content of ``inputPath``, which other users cannot see, unlike arguments; nil: nothing.
    ///   - line: receives each line of standard output.
    /// - Returns: the outcome.
    /// - Throws: when the program cannot be started.
    func run(
        _ arguments: [String],
        input: String? = nil,
        line: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> Ended {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.runNow(arguments, input, line) })
            }
        }
    }

    /// Interrupts the run as Ctrl-C does, which withdraws a request.
    func interrupt() {
        self.process.withLock { pid in
            if pid > 0 { kill(pid, SIGINT) }
        }
    }

    /// A file in memory that holds a text: the subcommands accept only files that can be opened again.
    private static func file(of text: String) throws -> FileHandle {
        let descriptor = clinux_memory_file()
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
        return file
    }

    private func runNow(_ arguments: [String], _ input: String?, _ line: @Sendable (String) -> Void) throws -> Ended {
        let process = Process()
        // The running executable, even if an upgrade replaced its file.
        process.executableURL = URL(filePath: "/proc/self/exe")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = try input.map(Self.file) ?? FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        self.process.withLock { $0 = process.processIdentifier }
        let errorFile = errors.fileHandleForReading
        let reading = DispatchQueue(label: "errors")
        // Reads both pipes at once: the process would block if its errors filled the other one.
        reading.async {
            let all = (try? errorFile.readToEnd()) ?? Data()
            self.errors.withLock { $0 = all }
        }
        var (lines, rest): ([String], Data) = ([], Data())
        while true {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            rest += piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[rest.index(after: end)...])
                line(text)
                lines.append(text)
                if lines.count > Self.linesMax { lines.removeFirst() }
            }
        }
        // The ID may belong to another process after the wait.
        self.process.withLock { $0 = 0 }
        process.waitUntilExit()
        reading.sync {}
        return Ended(
            status: process.terminationStatus,
            lines: lines,
            errors: self.errors.withLock { String(decoding: $0, as: UTF8.self) }
        )
    }
}
