internal import WhereaboutsVocabulary

/// The files of the bundle that represents a GeoClue app in locationd: its name and reason, with the translations in
/// its `.desktop` file, and a program that only prints an explanation.
package struct AskerBundle: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        /// The path within the bundle's folder.
        package var path: String
        /// The text of the file.
        package var text: String
        /// Whether the file is executable.
        package var isProgram: Bool
    }

    /// The longest name and reason to copy, in bytes; locationd shows no more.
    private static let (nameBytes, reasonBytes) = (60, 1000)

    /// The folder's name.
    package let name: String
    package let files: [File]

    /// Creates the bundle of an app; `entry` is nil if the app has no `.desktop` file.
    package init(_ asker: Asker, _ entry: DesktopEntry?) {
        self.name = "\(asker.bundle).app"
        let name = Self.name(entry?.name?.plain, of: asker)
        let reason = Self.shown(entry?.reason?.plain) ?? "It asks through GeoClue, and gives no reason."
        var files = [
            File(
                path: "Info.plist",
                text: Self.propertyList([
                    ("CFBundleIdentifier", asker.bundle), ("CFBundleExecutable", "asks-through-geoclue"),
                    ("CFBundleName", name), ("NSLocationWhenInUseUsageDescription", reason),
                ]),
                isProgram: false
            ),
            File(
                path: "asks-through-geoclue",
                text: """
                    #!/bin/sh
                    echo "this app asks through GeoClue (locationd-geoclue); start it as you always do" >&2
                    exit 1

                    """,
                isProgram: true
            ),
        ]
        let names = entry?.name?.translated ?? [:]
        let reasons = entry?.reason?.translated ?? [:]
        for locale in Set(names.keys).union(reasons.keys).sorted() {
            // A translation replaces all texts, so write the untranslated ones there, too.
            let texts = [
                ("CFBundleName", Self.name(names[locale] ?? entry?.name?.plain, of: asker)),
                ("NSLocationWhenInUseUsageDescription", Self.shown(reasons[locale]) ?? reason),
            ]
            files.append(
                File(path: "\(locale).lproj/InfoPlist.strings", text: Self.propertyList(texts), isProgram: false)
            )
        }
        self.files = files
    }

    /// The name shown to people, which mentions a program whose identity is only claimed.
    private static func name(_ name: String?, of asker: Asker) -> String {
        let name = Self.shown(name, bytesMax: Self.nameBytes) ?? asker.desktopID
        guard case .claimed(let executable) = asker.evidence else { return name }
        let program = executable?.split(separator: "/").last.map { $0.shown }
        return "\(name) (claimed by \(program ?? "a program"))"
    }

    private static func shown(_ text: String?, bytesMax: Int = Self.reasonBytes) -> String? {
        guard let text = text?.shown(bytesMax: bytesMax), text.contains(where: { $0 != " " }) else { return nil }
        return text
    }

    private static func propertyList(_ texts: [(key: String, text: String)]) -> String {
        let entries = texts.map { "<key>\($0.key)</key><string>\(Self.escaped($0.text))</string>\n" }.joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\n\(entries)</dict></plist>\n"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension Substring {
    /// The name of a program, shortened for a prompt.
    fileprivate var shown: String { String(self).shown(bytesMax: 30) }
}
