internal import Foundation

/// The translations of a bundle's texts, read once when its files are hashed, so that people see the approved texts.
///
/// Each `<language>.lproj/InfoPlist.strings` is a strings file or a property list.
struct BundleTranslations {
    /// The largest file of texts that is read.
    private static let fileBytesMax = 256 * 1024
    /// The maximum number of translations that are read; an app has fewer.
    private static let languagesMax = 200

    private let texts: [String: [String: String]]

    init(bundle: String) throws(DaemonError) {
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: bundle)) ?? []).sorted()
        var texts: [String: [String: String]] = [:]
        for folder in folders.filter({ $0.hasSuffix(".lproj") }).prefix(Self.languagesMax) {
            let path = "\(bundle)/\(folder)/InfoPlist.strings"
            guard let read = Self.read(path) else { continue }
            for key in BundleTexts.nameKeys { try AppBundle.check(name: read[key] ?? "", in: path) }
            texts[String(folder.dropLast(".lproj".count))] = read
        }
        self.texts = texts
    }

    private static func read(_ path: String) -> [String: String]? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= self.fileBytesMax, let data = FileManager.default.contents(atPath: path),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return nil }
        return list as? [String: String]
    }

    subscript(language: String) -> [String: String]? { self.texts[language] }
}
