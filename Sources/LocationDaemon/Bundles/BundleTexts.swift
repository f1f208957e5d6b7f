internal import Foundation
internal import LocationHost

/// What a bundle says to people: the texts of its Info.plist, in a language they read where it has one.
///
/// The translations stand in `<language>.lproj/InfoPlist.strings`, which is a list of strings or a property list.
struct BundleTexts {
    /// More than any file of texts; a longer one is not read.
    private static let fileBytesMax = 256 * 1024
    /// As many languages as a person may prefer over one another.
    private static let languagesMax = 10

    private let translated: [String: String]
    private let info: PropertyList

    init(bundle: String, info: PropertyList, languages: [String]) {
        self.info = info
        let development = (try? info.string("CFBundleDevelopmentRegion")).flatMap(\.self) ?? "en"
        for language in languages.prefix(Self.languagesMax).flatMap(Self.names) + [development, "Base"] {
            if let texts = Self.read(bundle + "/\(language).lproj/InfoPlist.strings") {
                self.translated = texts
                return
            }
            // What has no translation into the language it was written in stands in the Info.plist.
            if language == development { break }
        }
        self.translated = [:]
    }

    /// The folders a language may be in: for `de_AT.UTF-8` those of de_AT, de-AT and de.
    static func names(of language: String) -> [String] {
        let tag = language.prefix { $0 != "." && $0 != "@" }
        let parts = tag.split { $0 == "_" || $0 == "-" }
        // It becomes part of a path, and comes from outside.
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

    private static func read(_ path: String) -> [String: String]? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= self.fileBytesMax, let data = FileManager.default.contents(atPath: path),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return nil }
        return list as? [String: String]
    }

    /// The text of a key of the Info.plist; nil when neither has it.
    func text(_ key: String) -> String? {
        if let text = self.translated[key], !text.isEmpty { return text }
        return (try? self.info.string(key)).flatMap(\.self)
    }

    /// The name people know the app by.
    var name: String? { self.text("CFBundleDisplayName") ?? self.text("CFBundleName") }

    /// What full accuracy is for; translations name the purpose alone, as Apple's do.
    func purpose(_ purpose: String) -> String? {
        if let text = self.translated[purpose], !text.isEmpty { return text }
        return self.info.dictionary(InfoPlistKey.purposes)?[purpose] as? String
    }
}
