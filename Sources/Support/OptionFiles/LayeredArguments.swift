package import ArgumentParser

/// The arguments of a command from all places that say them: the command line above the environment above the files of `--config`.
package struct LayeredArguments: Sendable, Hashable {
    /// The arguments for the command's parser.
    package private(set) var arguments: [String]
    /// Variables of the environment that look like an option's, and are none: nobody would hear of a name with a mistake.
    package private(set) var unknownVariables: [String] = []
    /// The places that say an option which is not on the command line, by its name.
    private var origins: [String: String] = [:]

    /// Puts the arguments together.
    ///
    /// An option that stands in a higher place is dropped from the lower ones, also one that may be given more than once: nobody would
    /// get rid of a receiver in a file otherwise. Of two files the later one is above. A file whose path begins with a hyphen may be
    /// missing.
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
        self.arguments = given
        var variables = others
        for name in options.names.sorted() {
            let variable = prefix + name.uppercased().replacing("-", with: "_")
            variables.insert(variable)
            guard let value = environment[variable], !said.contains(name) else { continue }
            self.arguments += try Self.arguments(name, value, isFlag: options[name] == .flag, variable)
            self.origins[name] = "the variable \(variable)"
            said.insert(name)
        }
        self.unknownVariables = environment.keys.filter { $0.hasPrefix(prefix) && !variables.contains($0) }.sorted()
        for path in Self.files(given).reversed() {
            let isOptional = path.hasPrefix("-")
            let path = isOptional ? String(path.dropFirst()) : path
            if isOptional, !exists(path) { continue }
            let file = try OptionFile(path: path)
            self.arguments += try file.arguments(for: options, besides: said)
            // Also those that say no: a flag that is false here is not true by a lower file.
            for name in file.names.subtracting(said) { self.origins[name] = "\(name) in \(path)" }
            said.formUnion(file.names)
        }
    }

    /// The arguments of a variable: those of a flag are its name alone, or nothing.
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

    /// The place of the first option that an error of the parser's names, if it is none of the command line's: nobody typed it.
    package func origin(of error: String) -> String? {
        let named = error.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-") }
        return named.lazy.compactMap { word in
            word.hasPrefix("--") ? self.origins[String(word.dropFirst(2))] : nil
        }.first
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
