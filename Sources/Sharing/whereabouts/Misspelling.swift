internal import ArgumentParser

/// An unknown word where a subcommand is expected.
///
/// The parser would treat the word as an argument of the default subcommand, and complain about missing options.
struct Misspelling: Equatable {
    /// The error's text, with the unknown word and the known subcommands.
    let words: String

    /// Looks for an unknown word; nil if the parser can handle the next word.
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

    /// The names of a command and of those above it, such as `whereabouts gateway keys`; nil if it is not a subcommand of `root`.
    static func names(
        of command: any ParsableCommand.Type,
        below root: any ParsableCommand.Type = Whereabouts.self
    ) -> [String]? {
        if command == root { return [Self.name(of: root)] }
        return root.configuration.subcommands.lazy.compactMap { Self.names(of: command, below: $0) }.first
            .map { [Self.name(of: root)] + $0 }
    }

    /// The parser names a command without an explicit name after its type, in lowercase.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? String(describing: command).lowercased()
    }
}
