package import ArgumentParser

/// The arguments of a command from all sources: the command line overrides the environment, which overrides the files
/// of `--config`.
package struct LayeredArguments: Sendable, Hashable {
    /// An option from the environment or a file, and where it stands.
    private struct Option: Sendable, Hashable {
        let arguments: [String]
        let origin: String
    }

    private let given: [String]
    /// The file that contains all options; nil: there are several places.
    private let place: String?
    private var lower: [Option] = []
    /// Environment variables with the prefix that match no option, so that a misspelt name is noticed.
    package private(set) var unknownVariables: [String] = []

    /// The arguments for the command's parser.
    var arguments: [String] { self.given + self.lower.flatMap(\.arguments) }

    /// Combines the arguments from all places.
    ///
    /// An option in a higher place replaces the same option in all lower places, even an option that may be repeated:
    /// otherwise a receiver in a file could not be removed. A later file is higher than an earlier one. A file whose
    /// path begins with a hyphen may be missing.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - given: the command line, without the program's name.
    ///   - environment: the environment; a variable consists of `prefix` and an option's name, as in
    ///     `LOCATIOND_LOG_LEVEL`, and the variable of a flag is `true` or `false`.
    ///   - prefix: the prefix of the variables' names.
    ///   - others: variables with this prefix that have another use.
    ///   - exists: returns whether a file exists.
    /// - Throws: ``OptionFileError``
    package init(
        _ command: any ParsableCommand.Type,
        given: [String],
        environment: [String: String],
        prefix: String,
        others: Set<String> = [],
        exists: (String) -> Bool
    ) throws(OptionFileError) {
        let options = CommandOptions(of: command)
        var said = Set(given.compactMap { Self.name($0) })
        (self.given, self.place) = (given, nil)
        var variables = others
        for name in options.names.sorted() {
            let variable = prefix + name.uppercased().replacing("-", with: "_")
            variables.insert(variable)
            guard let value = environment[variable], !said.contains(name) else { continue }
            let arguments = try Self.arguments(name, value, isFlag: options[name] == .flag, variable)
            self.lower.append(Option(arguments: arguments, origin: "the variable \(variable)"))
            said.insert(name)
        }
        self.unknownVariables = environment.keys.filter { $0.hasPrefix(prefix) && !variables.contains($0) }.sorted()
        for path in Self.files(given).reversed() {
            let isOptional = path.hasPrefix("-")
            let path = isOptional ? String(path.dropFirst()) : path
            if isOptional, !exists(path) { continue }
            let file = try OptionFile(path: path)
            for (name, arguments) in try file.named(for: options, besides: said) {
                self.lower.append(Option(arguments: arguments, origin: "\(name) in \(path)"))
            }
            // Include flags that are false, so that a lower file does not turn them on.
            said.formUnion(file.names)
        }
    }

    /// Creates the arguments of a file alone.
    ///
    /// - Parameters:
    ///   - file: the file, or one of its tables.
    ///   - options: the options of the command.
    /// - Throws: ``OptionFileError`` for an unknown option, or a value of the wrong type.
    package init(_ file: OptionFile, for options: CommandOptions) throws(OptionFileError) {
        (self.given, self.place) = ([], file.name)
        for (name, arguments) in try file.named(for: options, besides: []) {
            self.lower.append(Option(arguments: arguments, origin: "\(name) in \(file.name)"))
        }
    }

    /// The arguments of an environment variable; for a flag, only its name, or nothing.
    private static func arguments(
        _ name: String,
        _ value: String,
        isFlag: Bool,
        _ variable: String
    ) throws(OptionFileError) -> [String] {
        switch value {
        case _ where !isFlag: return ["--\(name)=\(value)"]
        case "true": return ["--\(name)"]
        case "false": return []
        default: throw OptionFileError("the variable \(variable) is true or false, not '\(value)'")
        }
    }

    /// Parses the arguments.
    ///
    /// - Parameter command: the command.
    /// - Returns: the command to run, or the parser's command that shows help.
    /// - Throws: the parser's error; ``OptionFileError``, which names the place, if a wrong option is not on the command line.
    package func parsed<Command: ParsableCommand>(as command: Command.Type) throws -> any ParsableCommand {
        do {
            return try Command.parseAsRoot(self.arguments)
        } catch {
            let message = Command.message(for: error)
            // Find the first option without which there is no error, or a different error although the message names the option.
            let origin = self.lower.indices.first { index in
                var others = self.lower
                let name = others.remove(at: index).arguments.first?.prefix { $0 != "=" } ?? "--"
                let other = Self.message(of: command, self.given + others.flatMap(\.arguments))
                return other == nil || other != message && message.contains(name)
            }
            guard let place = origin.map({ self.lower[$0].origin }) ?? self.place else { throw error }
            throw OptionFileError("\(place): \(message)")
        }
    }

    /// The message of the parser's error; nil if parsing succeeds.
    private static func message<Command: ParsableCommand>(of _: Command.Type, _ arguments: [String]) -> String? {
        do {
            _ = try Command.parseAsRoot(arguments)
            return nil
        } catch {
            return Command.message(for: error)
        }
    }

    /// The files of `--config`, in their order.
    private static func files(_ arguments: [String]) -> [String] {
        var (files, isNext): ([String], Bool) = ([], false)
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if isNext {
                files.append(argument)
            } else if argument.hasPrefix("--config=") {
                files.append(String(argument.dropFirst("--config=".count)))
            }
            isNext = !isNext && argument == "--config"
        }
        return files
    }

    /// The name of a long option.
    private static func name(_ argument: String) -> String? {
        guard argument.hasPrefix("--"), argument != "--" else { return nil }
        return String(argument.dropFirst(2).prefix { $0 != "=" })
    }
}
