internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// Where a passphrase comes from: a person who types it unseen, or a file.
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
    /// - Parameter twice: whether a person types it again: one that is mistyped would be lost with the backup.
    /// - Returns: the passphrase, as it was typed.
    /// - Throws: when nobody can type it, or it was typed in two ways.
    func read(twice: Bool) throws -> String {
        if let path = self.passphraseFile {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let line = text.split(separator: "\n", omittingEmptySubsequences: false).first
            else {
                throw SharingError(.badProfile, "\(path) cannot be read; it must hold the passphrase in its first line")
            }
            return String(line)
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("nobody is at the terminal to type the passphrase; give --passphrase-file")
        }
        let first = try Self.typed("Passphrase: ")
        guard twice else { return first }
        let second = try Self.typed("The same again: ")
        guard first == second else {
            throw ValidationError("the two passphrases are not the same; nothing was done")
        }
        return first
    }

    /// Reads a line without showing it.
    private static func typed(_ prompt: String) throws -> String {
        var usual = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else {
            throw ValidationError("the terminal cannot be used to type a passphrase; give --passphrase-file")
        }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
            throw ValidationError("the terminal cannot hide a passphrase; give --passphrase-file")
        }
        defer {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
            printTrouble("")
        }
        try FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        return readLine() ?? ""
    }
}
