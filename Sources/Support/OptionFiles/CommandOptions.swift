package import ArgumentParser
internal import Foundation
internal import WhereaboutsJSONReading

/// The long options of a command, read from its parser.
package struct CommandOptions: Sendable {
    /// The values that an option accepts.
    enum Kind: Sendable, Hashable {
        case flag
        case value
        /// A value; the option may be repeated.
        case values
    }

    /// The parts of the parser's description of a command that are used here.
    private struct Description: Decodable {
        struct Command: Decodable {
            let commandName: String
            let arguments: [Argument]?
        }
        struct Argument: Decodable {
            let kind: String
            let isRepeating: Bool
            let names: [Name]?
        }
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let command: Command
    }

    /// Options that a file may not contain, because with them the command does something else.
    private static let exceptions: Set = ["help", "version", "config"]

    /// The command's name.
    package let command: String
    private let kinds: [String: Kind]

    /// Reads the options of a command, and those of the program that contains it as a subcommand.
    package init(of command: any ParsableCommand.Type, of program: String? = nil) {
        let json = Data(command._dumpHelp().utf8)
        guard let description = try? JSONReader().decode(Description.self, from: json) else {
            preconditionFailure("the argument parser's description of \(command) has an unknown form")
        }
        let name = description.command.commandName
        self.command = program.map { "\($0) \(name)" } ?? name
        var kinds: [String: Kind] = [:]
        for argument in description.command.arguments ?? [] where argument.kind != "positional" {
            for name in argument.names ?? [] where name.kind == "long" && !Self.exceptions.contains(name.name) {
                kinds[name.name] = argument.kind == "flag" ? .flag : argument.isRepeating ? .values : .value
            }
        }
        self.kinds = kinds
    }

    /// The names, without the leading hyphens.
    package var names: some Collection<String> { self.kinds.keys }

    subscript(name: String) -> Kind? { self.kinds[name] }
}
