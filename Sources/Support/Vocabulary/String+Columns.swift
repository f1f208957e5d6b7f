extension String {
    /// The number of terminal columns that the text occupies: two for an East Asian character or an emoji, none for a
    /// combining mark.
    ///
    /// Source: Unicode's East Asian Width (UAX #11), by blocks; terminals differ for rare characters.
    package var columns: Int { self.reduce(0) { $0 + $1.columns } }
}

extension Character {
    fileprivate var columns: Int {
        // Marks, joiners and variation selectors change the first scalar, which occupies the column.
        guard let first = self.unicodeScalars.first else { return 0 }
        let isDrawn = self.unicodeScalars.contains { $0.value == 0xFE0F }
        return isDrawn || self.unicodeScalars.contains(where: \.isWide) ? 2 : first.isSeenAlone ? 1 : 0
    }
}

extension Unicode.Scalar {
    fileprivate var isWide: Bool {
        if self.properties.isEmojiPresentation { return true }
        return switch self.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }

    fileprivate var isSeenAlone: Bool {
        switch self.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: false
        default: true
        }
    }
}
