internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// The source of a passphrase: a person who types it without an echo, or a file.
struct PassphraseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the passphrase from the first line of this file instead of asking for it.",
            valueName: "file"
        )
    )
    var passphraseFile: String?

    /// Gets the passphrase.
    ///
    /// - Parameter twice: whether a person types the passphrase again, because a typing error would make the backup useless.
    /// - Returns: the passphrase, unchanged.
    /// - Throws: if there is no terminal and no file, or the second text differs.
    func read(twice: Bool) throws -> String {
        try Self.read("passphrase", from: self.passphraseFile, option: "--passphrase-file", twice: twice)
    }

    /// Reads a secret of a kind, such as "passphrase".
    ///
    /// - Parameters:
    ///   - kind: the name of the secret in messages.
    ///   - file: the file with the secret in its first line; if not given, a person types the secret.
    ///   - option: the option that names a file.
    ///   - twice: whether a person types the secret again.
    /// - Returns: the secret, unchanged.
    /// - Throws: if there is no terminal and no file, or the second text differs.
    static func read(_ kind: String, from file: String?, option: String, twice: Bool) throws -> String {
        if let path = file {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let line = text.split(separator: "\n", omittingEmptySubsequences: false).first
            else {
                throw SharingError(
                    .badProfile,
                    "The \(kind) cannot be read from \(path). Its first line must be the \(kind)."
                )
            }
            return String(line)
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("There is no terminal to ask for the \(kind). Give it with \(option).")
        }
        let first = try Self.typed(kind, "\(kind.prefix(1).uppercased())\(kind.dropFirst()): ", option: option)
        guard twice else { return first }
        let second = try Self.typed(kind, "The same again: ", option: option)
        guard first == second else { throw ValidationError("The two \(kind)s differ. Nothing was changed.") }
        return first
    }

    /// Reads a line without showing it.
    private static func typed(_ kind: String, _ prompt: String, option: String) throws -> String {
        var usual = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else {
            throw ValidationError("The terminal cannot hide the \(kind). Give it with \(option).")
        }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
            throw ValidationError("The terminal cannot hide the \(kind). Give it with \(option).")
        }
        defer {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
            printTrouble("")
        }
        try FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        return readLine() ?? ""
    }
}
