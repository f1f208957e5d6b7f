internal import ArgumentParser

/// An unknown word in the place of a subcommand.
///
/// The parser would treat it as an argument of the default subcommand, and ask for that one's options.
struct Misspelling: Equatable {
    /// The word, and what there is.
    let words: String

    /// Looks for one; nil: the parser has the next word.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var (command, names) = (root, [Self.name(of: root)])
        for word in arguments {
            guard !word.hasPrefix("-") else { return nil }
            let subcommands = command.configuration.subcommands
            if let next = subcommands.first(where: { Self.name(of: $0) == word }) {
                (command, names) = (next, names + [word])
                continue
            }
            guard command.configuration.defaultSubcommand != nil else { return nil }
            let others = subcommands.map { Self.name(of: $0) }.joined(separator: ", ")
            self.words = "there is no `\(names.joined(separator: " ")) \(word)`; there are \(others)"
            return
        }
        return nil
    }

    /// The parser's name of a command that gives itself none is that of its type in small letters.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? String(describing: command).lowercased()
    }
}
