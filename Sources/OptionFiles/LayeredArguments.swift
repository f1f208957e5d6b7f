package import ArgumentParser

/// The arguments of a command from all places that say them: the command line above the environment above the files of `--config`.
package enum LayeredArguments {
    /// Puts the arguments together.
    ///
    /// An option that stands in a higher place is dropped from the lower ones, also one that may be given more than once: nobody would
    /// get rid of a receiver in a file otherwise. Of two files the later one is above. A file whose path begins with a hyphen may be
    /// missing.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - given: the command line, without the program's name.
    ///   - environment: the environment, in which `prefix` and an option's name, as in `LOCATIOND_LOG_LEVEL`, give it a value.
    ///   - prefix: the beginning of the variables' names.
    ///   - exists: says whether there is a file.
    /// - Returns: the arguments for the command's parser.
    /// - Throws: ``OptionFileError``
    package static func of(
        _ command: any ParsableCommand.Type,
        given: [String],
        environment: [String: String],
        prefix: String,
        exists: (String) -> Bool
    ) throws(OptionFileError) -> [String] {
        let options = CommandOptions(of: command)
        var said = Set(given.compactMap { Self.name($0) })
        var arguments = given
        for name in options.names.sorted() where !said.contains(name) {
            let variable = prefix + name.uppercased().replacing("-", with: "_")
            guard let value = environment[variable], options[name] != .flag else { continue }
            arguments.append("--\(name)=\(value)")
            said.insert(name)
        }
        for path in Self.files(given).reversed() {
            let isOptional = path.hasPrefix("-")
            let path = isOptional ? String(path.dropFirst()) : path
            if isOptional, !exists(path) { continue }
            let added = try OptionFile(path: path).arguments(for: options, besides: said)
            arguments += added
            said.formUnion(added.compactMap { Self.name($0) })
        }
        return arguments
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
