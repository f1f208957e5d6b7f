internal import WhereaboutsVocabulary

/// Validates names that a person gives: to their devices, to others, and to themselves.
package enum GivenName {
    /// Checks a name that a person typed.
    ///
    /// - Parameters:
    ///   - text: the name.
    ///   - bytesMax: the maximum number of bytes of UTF-8 that it may have.
    /// - Returns: the name, without blanks at its ends.
    /// - Throws: ``SharingError`` when the name is invisible, too long, looks like an ID, or contains control or
    ///   bidirectional characters.
    package static func checked(_ text: String, bytesMax: Int) throws(SharingError) -> String {
        let name = Self.trimmed(text)
        guard !name.containsControlCharacters else {
            throw SharingError(
                .badText,
                "the name contains control or direction characters (such as U+202E), which could disguise it; "
                    + "give it without them"
            )
        }
        guard Self.isSeen(name) else {
            throw SharingError(.badText, "a name needs at least one visible character")
        }
        guard !Self.resemblesID(name) else {
            throw SharingError(.badText, "a name must not look like a safety number or a grant's ID; give another one")
        }
        guard name.utf8.count <= bytesMax else {
            throw SharingError(
                .badText,
                "a name has at most \(bytesMax) bytes of UTF-8, got \(name.utf8.count); give a shorter one"
            )
        }
        return name
    }

    /// Returns another program's name in a safe form; empty without visible characters.
    package static func shown(_ text: String, bytesMax: Int) -> String {
        let name = Self.trimmed(text.shown(bytesMax: bytesMax))
        return Self.isSeen(name) ? name : ""
    }

    /// Returns whether a person who types one text means the other.
    ///
    /// Case, joiners, blanks at the ends and Unicode normalization are ignored, because they depend on the keyboard.
    package static func matches(_ typed: String, _ name: String) -> Bool { Self.folded(typed) == Self.folded(name) }

    /// The error for a name that another one matches.
    ///
    /// - Parameters:
    ///   - name: the new name.
    ///   - owner: the owner of the other one, as the beginning of a sentence.
    ///   - other: the other name.
    /// - Returns: the sentence.
    package static func taken(_ name: String, _ owner: String, called other: String) -> String {
        let isSame = name.unicodeScalars.elementsEqual(other.unicodeScalars)
        let difference = isSame ? "" : "; '\(name)' differs only in letter case or invisible characters"
        return "\(owner) called \(other)\(difference). Give another name."
    }

    private static func folded(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: Self.trimmed(text).unicodeScalars.filter { $0.value != 0x200C && $0.value != 0x200D }
        )
        // Map to upper case, then to lower case, because "SS" is the capital form of "ß".
        return String(scalars).uppercased().lowercased()
    }

    /// Whether a text has a visible character: a name of only blanks, joiners and fillers cannot be seen.
    private static func isSeen(_ name: String) -> Bool {
        name.unicodeScalars.contains { scalar in
            let properties = scalar.properties
            return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
                && properties.generalCategory != .unassigned && properties.generalCategory != .format
                // The blank Braille pattern, which Unicode classifies as a symbol.
                && scalar.value != 0x2800
        }
    }

    /// Whether people or commands could take a name for a safety number, which has 30 digits, or for an ID, which has 32 hexadecimal ones.
    ///
    /// Source of the limit: our choice; a copy with a few digits missing deceives, too, and no phone number is as long.
    private static func resemblesID(_ name: String) -> Bool {
        let digitsMin = 25
        let signs = name.filter { $0.isLetter || $0.isNumber }
        return signs.count(where: \.isNumber) >= digitsMin
            || signs.count >= digitsMin && signs.allSatisfy { $0.isHexDigit || $0.isNumber }
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
