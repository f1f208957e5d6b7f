/// Limits untrusted text before it is stored, sent or shown.
extension String {
    /// Returns the beginning of the text, of at most `max` bytes of UTF-8, without a partial scalar.
    ///
    /// Counting characters would be no limit: a letter may have any number of accents.
    package func cut(toBytes max: Int) -> String {
        guard self.utf8.count > max else { return self }
        var end = self.utf8.index(self.startIndex, offsetBy: Swift.max(max, 0))
        while end.samePosition(in: self.unicodeScalars) == nil { end = self.utf8.index(before: end) }
        return String(self[..<end])
    }

    /// Whether the text contains characters that control a terminal, begin a line, or change the direction of text.
    package var containsControlCharacters: Bool { self.unicodeScalars.contains { $0.isControlCharacter } }

    /// Returns the text in a safe form for people: at most `max` bytes of UTF-8, with spaces in place of control
    /// characters.
    package func shown(bytesMax max: Int) -> String {
        let cut = self.cut(toBytes: max)
        guard cut.containsControlCharacters else { return cut }
        var plain = UnicodeScalarView()
        for scalar in cut.unicodeScalars { plain.append(scalar.isControlCharacter ? " " : scalar) }
        return String(plain)
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal, begins a line or changes the direction of text.
    var isControlCharacter: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // The joiners of emoji, and of Persian and Indic words, do not change the direction.
        case .format: self.value != 0x200C && self.value != 0x200D
        default: false
        }
    }
}
