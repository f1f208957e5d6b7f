/// The texts for people in a `.desktop` file (freedesktop.org's "Desktop Entry Specification").
package struct DesktopEntry: Sendable, Hashable {
    /// A text in the language of the file, and its translations by locale.
    package struct Text: Sendable, Hashable {
        /// The text without a locale.
        package var plain: String
        /// The translations by locale, such as `de` or `pt_BR`.
        package var translated: [String: String]
    }

    /// The longest file that is read, in bytes; GNOME's files with all translations have about 20 KiB.
    package static let fileBytesMax = 256 * 1024
    /// The maximum number of locales of a text; others are ignored.
    package static let localesMax = 150

    /// The app's name.
    package var name: Text?
    /// Why the program wants the position: the value of GeoClue's key `X-Geoclue-Reason`, or of `Comment`.
    package var reason: Text?

    package init(_ file: String) {
        var texts: [String: Text] = [:]
        var isEntry = false
        for line in file.split(separator: "\n") {
            if line.hasPrefix("[") { isEntry = line.hasPrefix("[Desktop Entry]") }
            guard isEntry, let equals = line.firstIndex(of: "=") else { continue }
            let key = line[..<equals].trimmed
            let value = Self.unescaped(line[line.index(after: equals)...].trimmed)
            guard let bracket = key.firstIndex(of: "["), key.hasSuffix("]") else {
                texts[String(key), default: Text(plain: "", translated: [:])].plain = value
                continue
            }
            let locale = String(key[key.index(after: bracket)...].dropLast())
            let name = String(key[..<bracket])
            guard Self.isLocale(locale),
                texts[name, default: Text(plain: "", translated: [:])].translated.count < Self.localesMax
            else { continue }
            texts[name]?.translated[locale] = value
        }
        self.name = texts["Name"]
        self.reason = texts["X-Geoclue-Reason"] ?? texts["Comment"]
    }

    /// Whether the text is a valid name for a folder of translations.
    private static func isLocale(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }

    private static func unescaped(_ text: Substring) -> String {
        var plain = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                plain.append(character)
                continue
            }
            switch next {
            case "s", "n", "t", "r": plain.append(" ")
            default: plain.append(next)
            }
        }
        return plain
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }
}
