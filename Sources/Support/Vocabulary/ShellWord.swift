/// Quotes texts in a command that a person may copy: others chose some of them, and a shell must read each as one word.
package enum ShellWord {
    /// Returns a text quoted as one word of a shell.
    package static func of(_ text: String) -> String {
        guard text.isEmpty || !text.utf8.allSatisfy(Self.isPlain) else { return text }
        // A quote inside quotes: end the quotes, escape one, start again.
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Returns a path as one shell word that commands do not mistake for an option.
    package static func path(_ path: String) -> String {
        Self.of(path.utf8.first == UInt8(ascii: "-") ? "./" + path : path)
    }

    /// Returns the last word of a command, which does not become an option.
    package static func last(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "-") ? "-- " + Self.of(text) : Self.of(text)
    }

    /// Whether a byte means itself to every shell: letters, digits and `+,-./@_`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2B...0x39, 0x40...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}
