internal import WhereaboutsLocationHost

/// A bundle's texts for people: those of its Info.plist, translated if possible.
struct BundleTexts {
    /// The keys of an app's names, the longer one first.
    static let nameKeys = ["CFBundleDisplayName", "CFBundleName"]
    /// The maximum number of languages of a person that are tried.
    private static let languagesMax = 10

    private let translated: [String: String]
    private let info: PropertyList

    init(_ translations: BundleTranslations, info: PropertyList, languages: [String]) {
        self.info = info
        let development = (try? info.string("CFBundleDevelopmentRegion")).flatMap(\.self) ?? "en"
        for language in languages.prefix(Self.languagesMax).flatMap(Self.names) + [development, "Base"] {
            if let texts = translations[language] {
                self.translated = texts
                return
            }
            // The Info.plist's own texts are in this language, and the person prefers it to the remaining translations.
            if language == development { break }
        }
        self.translated = [:]
    }

    /// The possible names of a language in a bundle: for `de_AT.UTF-8` those of de_AT, de-AT and de.
    static func names(of language: String) -> [String] {
        let tag = language.prefix { $0 != "." && $0 != "@" }
        let parts = tag.split { $0 == "_" || $0 == "-" }
        let isTag = tag.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x5F
        }
        guard isTag, tag != "C", tag != "POSIX" else { return [] }
        return (0..<parts.count).reversed().flatMap { last in
            let subtags = parts[...last]
            return last == 0 ? [String(subtags[0])] : [subtags.joined(separator: "_"), subtags.joined(separator: "-")]
        }
    }

    /// The text of a key; nil when neither the translation nor the Info.plist has it.
    func text(_ key: String) -> String? {
        if let text = self.translated[key], !text.isEmpty { return text }
        return (try? self.info.string(key)).flatMap(\.self)
    }

    /// The name people know the app by.
    var name: String? { Self.nameKeys.lazy.compactMap { self.text($0) }.first }

    /// The reason for full accuracy under a purpose's key; translations have that key at the top level, as Apple's do.
    func purpose(_ purpose: String) -> String? {
        if let text = self.translated[purpose], !text.isEmpty { return text }
        return self.info.dictionary(InfoPlistKey.purposes)?[purpose] as? String
    }
}
