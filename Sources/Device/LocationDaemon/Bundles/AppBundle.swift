internal import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsVocabulary

/// An app's bundle on disk, checked: `Name.app/` with `Info.plist`, executable, and perhaps a push extension.
struct AppBundle {
    /// The location push service extension inside.
    struct Extension {
        var executable: String
        var directory: String
    }

    /// The extension point, as Apple's template writes it.
    static let pushExtensionPoint = "com.apple.location.push.service"

    let path: String
    let id: BundleID
    let name: String
    let executable: String
    let pushExtension: Extension?
    /// The entitlements that the bundle requests.
    let entitlements: [String]
    /// Mistakes that do not prevent the installation, but will keep the app from working; shown to the installer.
    let warnings: [String]
    /// The capabilities the device must have (true) or must not have.
    private let capabilities: [String: Bool]
    private let info: PropertyList
    private let translations: BundleTranslations

    /// Refuses a path that names no bundle.
    static func check(path: String) throws(DaemonError) {
        guard path.hasSuffix(".app") else {
            throw DaemonError("\(path) is not an app bundle: its name must end in .app; `locationctl bundle` makes one")
        }
    }

    init(path: String) throws(DaemonError) {
        try Self.check(path: path)
        let info = try PropertyList(path: path + "/Info.plist")
        let identifier = try info.required(
            "CFBundleIdentifier",
            because: "it names the app, such as com.example.FindFriends"
        )
        try Self.check(identifier, in: info.path)
        let executable = try Self.executable(info, in: path)
        var warnings: [String] = []
        if try info.string(InfoPlistKey.whenInUse) == nil {
            warnings.append(
                "\(info.path): the key \(InfoPlistKey.whenInUse) is missing, so people cannot be asked, and the app's requests for "
                    + "the location fail at once"
            )
        }
        self.path = path
        self.id = BundleID(identifier)
        let shortName = try info.string("CFBundleName")
        let longName = try info.string("CFBundleDisplayName")
        let name = longName ?? shortName ?? identifier
        try Self.check(name: name, in: info.path)
        self.name = name.cut(toBytes: AgentConnections.nameBytesMax)
        self.translations = try BundleTranslations(bundle: path)
        self.executable = executable
        self.info = info
        // Check the types here. A value of the wrong type would otherwise count as missing.
        try info.checkTexts(InfoPlistKey.purposes)
        try info.checkStrings(InfoPlistKey.backgroundModes)
        self.capabilities = try info.capabilities()
        var granted = try Self.entitlements(in: path)
        self.pushExtension = try Self.findExtension(in: path, of: identifier, &granted, &warnings)
        if self.pushExtension != nil, try info.string(InfoPlistKey.always) == nil {
            warnings.append(
                "\(info.path): the key \(InfoPlistKey.always) is missing; an app with a location push service extension "
                    + "needs Always, and nobody can be asked for it"
            )
        }
        self.entitlements = granted.sorted()
        self.warnings = warnings
    }

    /// Refuses an app that requires capabilities that the device lacks, by Apple's names.
    func checkCapabilities(offered: Set<String>) throws(DaemonError) {
        let has = offered.sorted().joined(separator: ", ")
        for (capability, isWanted) in self.capabilities.sorted(by: { $0.key < $1.key })
        where offered.contains(capability) != isWanted {
            throw DaemonError(
                "\(self.info.path): UIRequiredDeviceCapabilities \(isWanted ? "asks for" : "excludes") \(capability), "
                    + "which this device \(isWanted ? "does not have" : "has"); it has: \(has)"
            )
        }
    }

    /// The app's texts in the best available language of this list; the preferred language comes first.
    func texts(in languages: [String]) -> BundleTexts {
        BundleTexts(self.translations, info: self.info, languages: languages)
    }

    /// A name appears on terminals and in prompts, so it must not contain control characters or direction marks.
    static func check(name: String, in path: String) throws(DaemonError) {
        guard !name.containsControlCharacters else {
            throw DaemonError(
                "\(path): CFBundleName or CFBundleDisplayName contains control characters or direction marks; remove them"
            )
        }
    }

    private static func check(_ identifier: String, in path: String) throws(DaemonError) {
        guard identifier.isBundleIdentifier else {
            throw DaemonError(
                "\(path): CFBundleIdentifier may contain only letters, digits, hyphens and single dots, at most 155 characters"
            )
        }
    }

    private static func executable(_ info: PropertyList, in directory: String) throws(DaemonError) -> String {
        let name = try info.required("CFBundleExecutable", because: "it names the executable next to the Info.plist")
        guard !name.contains("/"), name != "..", name != "." else {
            throw DaemonError("\(info.path): CFBundleExecutable must be a file name without slashes")
        }
        let path = directory + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw DaemonError("\(path), which CFBundleExecutable names, is missing or not executable")
        }
        return path
    }

    private static func entitlements(in directory: String) throws(DaemonError) -> Set<String> {
        let path = directory + "/Entitlements.plist"
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let list = try PropertyList(path: path)
        if let environment = try list.string(Entitlement.pushEnvironment),
            !["development", "production"].contains(environment)
        {
            throw DaemonError(
                "\(path): \(Entitlement.pushEnvironment) must be development or production, not \(environment)"
            )
        }
        return Set([Entitlement.push, Entitlement.pushEnvironment].filter { list.grants($0) })
    }

    private static func findExtension(
        in path: String,
        of identifier: String,
        _ granted: inout Set<String>,
        _ warnings: inout [String]
    ) throws(DaemonError) -> Extension? {
        let directory = path + "/PlugIns"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        var places: [String: String] = [identifier: path]
        var found: Extension?
        for name in names where name.hasSuffix(".appex") {
            let place = directory + "/" + name
            let list = try PropertyList(path: place + "/Info.plist")
            let own = try list.required("CFBundleIdentifier", because: "an extension's begins with its app's and a dot")
            guard own.hasPrefix(identifier + ".") else {
                throw DaemonError(
                    "\(list.path): CFBundleIdentifier must begin with \(identifier). (its app's, and a dot)"
                )
            }
            if let other = places.updateValue(place, forKey: own) {
                throw DaemonError("\(list.path): CFBundleIdentifier is \(own), as in \(other); each needs its own")
            }
            let point = list.dictionary("NSExtension")?["NSExtensionPointIdentifier"] as? String
            guard let point else {
                throw DaemonError("\(list.path): NSExtension has no NSExtensionPointIdentifier")
            }
            guard point == self.pushExtensionPoint else {
                warnings.append(
                    "\(list.path): NSExtensionPointIdentifier is \(point); here only \(self.pushExtensionPoint) is "
                        + "served, and this extension will never run"
                )
                continue
            }
            if let found {
                throw DaemonError(
                    "\(place) and \(found.directory) have the same bundle identifier, \(point); an app may have one"
                )
            }
            granted.formUnion(try self.entitlements(in: place))
            for key in [Entitlement.push, Entitlement.pushEnvironment] where !granted.contains(key) {
                throw DaemonError(
                    "\(place)/Entitlements.plist: the entitlement \(key) is missing; without it the extension "
                        + "would get no location pushes"
                )
            }
            found = Extension(executable: try self.executable(list, in: place), directory: place)
        }
        return found
    }

    /// The app as the engine knows it, with the entitlements the owner approved.
    func manifest(approved: Set<String>) -> AppManifest {
        AppManifest(
            infoPlist: self.info.values,
            entitlements: approved,
            hasPushExtension: self.pushExtension != nil
        )
    }
}
