internal import ArgumentParser
internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing

/// The error that ends a command: text for people or, with `--json`, the last object on standard output.
struct CommandFailure: Error, Codable, Equatable, CustomStringConvertible {
    /// A word for programs, which stays the same when the sentence changes: the name of a ``SharingError/Code``, `usage` for a wrong
    /// command line, `changed` for a journal that was changed, otherwise `failed`.
    let code: String
    /// A sentence for a person.
    let reason: String
    /// Tells the object from the rows and states that a command prints.
    private(set) var state = Self.state
    /// The exit status.
    private(set) var status: Int32 = 1

    private static let state = "error"
    private enum CodingKeys: String, CodingKey { case code, reason, state }

    init(code: String, reason: String, status: Int32 = 1) {
        (self.code, self.reason, self.status) = (code, reason, status)
    }

    /// Describes an error of a command.
    init(_ error: any Error) {
        if let failure = error as? Self {
            self = failure
            return
        }
        let status = Whereabouts.exitCode(for: error)
        self.code =
            if let error = error as? SharingError { "\(error.code)" } else {
                status == .validationFailure ? "usage" : "failed"
            }
        self.reason = Whereabouts.message(for: error)
        self.status = status.rawValue
    }

    /// Reads a line of a command's output; nil if it is a row or a state.
    init?(line: String) {
        guard let read = try? JSONReader().decode(Self.self, from: Data(line.utf8)), read.state == Self.state else {
            return nil
        }
        self = read
    }

    var description: String { self.reason }

    /// Prints an error, and exits.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - command: the command that failed; its usage follows an error of the command line.
    ///   - arguments: the command line without the program.
    static func exit(_ error: any Error, of command: any ParsableCommand.Type, _ arguments: [String]) -> Never {
        // Help is not a failure, and a command that throws an exit status has printed its outcome.
        guard !(error is ExitCode), !Whereabouts.exitCode(for: error).isSuccess else {
            Whereabouts.exit(withError: error)
        }
        let failure = Self(error)
        if arguments.prefix(while: { $0 != "--" }).contains("--json") {
            try? printJSON(failure)
        } else {
            printTrouble(Self.text(of: error, command))
        }
        Foundation.exit(failure.status)
    }

    /// The error with the usage of its command.
    static func text(of error: any Error, _ command: any ParsableCommand.Type) -> String {
        let text = command.fullMessage(for: error)
        guard let names = Misspelling.names(of: command) else { return text }
        // The parser knows only the last name of the command.
        let name = names.last ?? ""
        return text.replacing("Usage: \(name)", with: "Usage: \(names.joined(separator: " "))")
            .replacing("See '\(name) ", with: "See '\(names.joined(separator: " ")) ")
    }
}
