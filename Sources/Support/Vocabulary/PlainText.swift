/// Makes untrusted text safe for a terminal, a log or a label.
package enum PlainText {
    /// The text without characters that control a terminal or change the direction of text.
    ///
    /// The joiners U+200C and U+200D are kept, because emoji, Persian and Indic words need them.
    package static func of(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: plain.append(" ")
            case .format where scalar.isControlCharacter: break
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// The text without these characters, cut to at most this many bytes of UTF-8.
    package static func of(_ text: String, bytesMax: Int) -> String {
        var plain = String.UnicodeScalarView()
        var bytes = 0
        // Cut between scalars, not characters: one character may have any number of bytes.
        for scalar in self.of(text).unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= bytesMax else { break }
            plain.append(scalar)
        }
        return String(plain)
    }
}
