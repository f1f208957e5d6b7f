package import ArgumentParser

/// The arguments of a command from all sources: the command line overrides the environment, which overrides the files
/// of `--config`.
package struct LayeredArguments: Sendable, Hashable {
    /// An option that a place below the command line has.
    private struct Option: Sendable, Hashable {
        let arguments: [String]
        let origin: String
    }

    private let given: [String]
    /// The file that has all options, if there is only one place for them.
    private let place: String?
    private var lower: [Option] = []
    /// Environment variables that look like an option's but match none, so that a misspelt name is noticed.
    package private(set) var unknownVariables: [String] = []

    /// The arguments for the command's parser.
    var arguments: [String] { self.given + self.lower.flatMap(\.arguments) }

    /// Puts the arguments together.
    ///
    /// An option that stands in a higher place is dropped from the lower ones, also one that may be given more than
    /// once: otherwise a receiver in a file could not be removed. Of two files the later one is above. A file whose
    /// path begins with a hyphen may be missing.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - given: the command line, without the program's name.
    ///   - environment: the environment, in which `prefix` and an option's name, as in `LOCATIOND_LOG_LEVEL`, give it a
    ///     value; that of a flag is `true` or `false`.
    ///   - prefix: the beginning of the variables' names.
    ///   - others: variables that begin so and are for something else.
    ///   - exists: says whether there is a file.
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
            // Also flags that are false: a lower file does not turn them on.
            said.formUnion(file.names)
        }
    }

    /// The arguments of a file alone.
    ///
    /// - Parameters:
    ///   - file: the file, or what stands under one of its titles.
    ///   - options: the command's.
    /// - Throws: ``OptionFileError`` for an option that the command does not have, or a value of another kind.
    package init(_ file: OptionFile, for options: CommandOptions) throws(OptionFileError) {
        (self.given, self.place) = ([], file.name)
        for (name, arguments) in try file.named(for: options, besides: []) {
            self.lower.append(Option(arguments: arguments, origin: "\(name) in \(file.name)"))
        }
    }

    /// The arguments of a variable; those of a flag are only its name, or nothing.
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
    /// - Returns: the command to run, or the parser's own that shows help.
    /// - Throws: the parser's error; ``OptionFileError``, which names the place, if the option is not on the command line.
    package func parsed<Command: ParsableCommand>(as command: Command.Type) throws -> any ParsableCommand {
        do {
            return try Command.parseAsRoot(self.arguments)
        } catch {
            let message = Command.message(for: error)
            // The first option without which there is no error, or another one although the error names the option.
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

    /// The message of the parser's error; nil if there is none.
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
