/// Quotes texts in commands that people may copy: a shell must read each text as one word, even if an attacker chose it.
package enum ShellWord {
    /// Returns a text quoted as one shell word.
    package static func of(_ text: String) -> String {
        guard text.isEmpty || !text.utf8.allSatisfy(Self.isPlain) else { return text }
        // For a quote inside: end the quoted part, write an escaped quote, and start again.
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Returns a path as one shell word that commands do not mistake for an option.
    package static func path(_ path: String) -> String {
        Self.of(path.utf8.first == UInt8(ascii: "-") ? "./" + path : path)
    }

    /// Returns the last word of a command, which the command does not mistake for an option.
    package static func last(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "-") ? "-- " + Self.of(text) : Self.of(text)
    }

    /// Whether every shell reads a byte literally: letters, digits and `+,-./@_`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2B...0x39, 0x40...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}
