internal import Foundation
internal import LocationEngine

/// An app's bundle on disk, checked: `Name.app/` with `Info.plist`, executable, and perhaps a push extension.
struct AppBundle {
    /// The location push service extension inside.
    struct Extension {
        var executable: String
        var directory: String
    }

    /// The entitlements that need the approval of the device's owner.
    static let pushEntitlement = "com.apple.developer.location.push"
    static let environmentEntitlement = "aps-environment"

    /// The extension point, as Apple's template writes it.
    static let pushExtensionPoint = "com.apple.location.push.service"

    let path: String
    let id: BundleID
    let name: String
    let executable: String
    let pushExtension: Extension?
    /// The entitlements the bundle asks for.
    let entitlements: [String]
    private let info: PropertyList

    init(path: String) throws(DaemonError) {
        guard path.hasSuffix(".app") else {
            throw DaemonError("\(path) is no app: a bundle's name ends in .app; `locationctl bundle` makes one")
        }
        let info = try PropertyList(path: path + "/Info.plist")
        let identifier = try info.required(
            "CFBundleIdentifier",
            because: "it names the app, such as com.example.FindFriends"
        )
        try Self.check(identifier, in: info.path)
        let executable = try Self.executable(info, in: path)
        _ = try info.required(
            "NSLocationWhenInUseUsageDescription",
            because: "a person who is asked for the location is shown this text, and without it cannot be asked"
        )
        self.path = path
        self.id = BundleID(identifier)
        let shortName = try info.string("CFBundleName")
        self.name = try info.string("CFBundleDisplayName") ?? shortName ?? identifier
        self.executable = executable
        self.info = info
        var granted = try Self.entitlements(in: path)
        self.pushExtension = try Self.findExtension(in: path, of: identifier, info, &granted)
        self.entitlements = granted.sorted()
    }

    private static func check(_ identifier: String, in path: String) throws(DaemonError) {
        let allowed = identifier.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E
        }
        // 155: with ".location-query" and a file's ending it must fit a file name of 255 bytes and a topic.
        guard allowed, identifier.utf8.count <= 155, !identifier.hasPrefix("."), !identifier.contains("..") else {
            throw DaemonError(
                "\(path): CFBundleIdentifier may hold letters, digits, hyphens and single dots, at most 155 of them"
            )
        }
    }

    private static func executable(_ info: PropertyList, in directory: String) throws(DaemonError) -> String {
        let name = try info.required("CFBundleExecutable", because: "it names the executable beside the Info.plist")
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
        return Set([self.pushEntitlement, self.environmentEntitlement].filter { list.grants($0) })
    }

    private static func findExtension(
        in path: String,
        of identifier: String,
        _ info: PropertyList,
        _ granted: inout Set<String>
    ) throws(DaemonError) -> Extension? {
        let directory = path + "/PlugIns"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        for name in names where name.hasSuffix(".appex") {
            let place = directory + "/" + name
            let list = try PropertyList(path: place + "/Info.plist")
            let point = list.dictionary("NSExtension")?["NSExtensionPointIdentifier"] as? String
            guard let point else {
                throw DaemonError("\(list.path): NSExtension has no NSExtensionPointIdentifier")
            }
            guard point == self.pushExtensionPoint else { continue }
            let own = try list.required("CFBundleIdentifier", because: "an extension's begins with its app's and a dot")
            guard own.hasPrefix(identifier + ".") else {
                throw DaemonError(
                    "\(list.path): CFBundleIdentifier must begin with \(identifier). (its app's, and a dot)"
                )
            }
            granted.formUnion(try self.entitlements(in: place))
            for key in [self.pushEntitlement, self.environmentEntitlement] where !granted.contains(key) {
                throw DaemonError(
                    "\(place)/Entitlements.plist: the entitlement \(key) is missing; without it the extension "
                        + "would get no location pushes"
                )
            }
            _ = try info.required(
                "NSLocationAlwaysAndWhenInUseUsageDescription",
                because:
                    "an app with a location push service extension needs Always, and this text is shown to ask for it"
            )
            return Extension(executable: try self.executable(list, in: place), directory: place)
        }
        return nil
    }

    /// What the engine has to know, given what the owner approved.
    func manifest(approved: Set<String>) -> AppManifest {
        AppManifest(
            explainsWhenInUse: true,
            explainsAlways: self.info.grants("NSLocationAlwaysAndWhenInUseUsageDescription"),
            requiresExplicitSessions: self.info.flag("NSLocationRequireExplicitServiceSession")
                || self.info.flag("CLRequireExplicitServiceSession"),
            purposes: (self.info.dictionary("NSLocationTemporaryUsageDescriptionDictionary") ?? [:]).keys.sorted(),
            defaultsToReducedAccuracy: self.info.flag("NSLocationDefaultAccuracyReduced"),
            mayRunInBackground: self.info.strings("UIBackgroundModes").contains("location"),
            mayReceiveLocationPushes: approved.contains(Self.pushEntitlement),
            hasPushEnvironment: approved.contains(Self.environmentEntitlement),
            hasPushExtension: self.pushExtension != nil
        )
    }
}
