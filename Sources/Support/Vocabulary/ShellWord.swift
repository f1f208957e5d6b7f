/// Texts in a command that a person is to copy: others chose some of them, and a shell must take each for one word and no more.
package enum ShellWord {
    /// A text as a shell takes it for one word.
    package static func of(_ text: String) -> String {
        guard text.isEmpty || !text.utf8.allSatisfy(Self.isPlain) else { return text }
        // A quote in quotes: the quotes end, one is escaped, they begin again.
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A path as one word, which no command takes for an option.
    package static func path(_ path: String) -> String {
        Self.of(path.utf8.first == UInt8(ascii: "-") ? "./" + path : path)
    }

    /// The last word of a command, which it takes for no option.
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
