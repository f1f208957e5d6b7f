internal import Crypto
internal import Foundation
internal import LocationEngine

/// The installed apps: copies that are locationd's own, with what the device's owner approved and hashes of what they
/// approved it for (ADR 0006).
struct BundleStore {
    /// An app that is installed.
    struct Installed {
        var bundle: AppBundle
        /// The approved entitlements; empty when a file changed since.
        var approved: Set<String>
        var executable: FileIdentity
        var isIntact: Bool
    }

    private struct Record: Codable {
        var appName: String
        var approved: [String]
        var hashes: [String: String]
    }

    private let directory: String
    private(set) var apps: [BundleID: Installed] = [:]

    init(directory: String) throws(DaemonError) {
        self.directory = directory
        try DurableFile.makeDirectory(directory)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        for name in names where !name.hasPrefix(".") {
            // An app whose bundle went bad is not served; the others are.
            if let installed = try? self.load(name) { self.apps[installed.bundle.id] = installed }
        }
    }

    private func load(_ name: String) throws(DaemonError) -> Installed {
        let place = self.directory + "/" + name
        guard let data = FileManager.default.contents(atPath: place + "/record.json"),
            let record = try? JSONDecoder().decode(Record.self, from: data)
        else { throw DaemonError("\(place)/record.json is missing or cannot be read") }
        let bundle = try AppBundle(path: place + "/" + record.appName)
        let isIntact = try Self.hashes(of: bundle) == record.hashes
        return Installed(
            bundle: bundle,
            approved: isIntact ? Set(record.approved) : [],
            executable: try FileIdentity(path: bundle.executable),
            isIntact: isIntact
        )
    }

    /// Copies a bundle in, in place of an earlier version.
    mutating func install(path: String, approving approved: Set<String>) throws(DaemonError) -> Installed {
        try Self.checkContents(of: path)
        let offered = try AppBundle(path: path)
        if let unasked = approved.subtracting(offered.entitlements).sorted().first {
            throw DaemonError("\(path) does not ask for the entitlement \(unasked), which was to be approved")
        }
        let name = offered.id.rawValue
        let staging = self.directory + "/.\(name).new"
        let place = self.directory + "/" + name
        let appName = (path as NSString).lastPathComponent
        do {
            try? FileManager.default.removeItem(atPath: staging)
            try FileManager.default.createDirectory(
                atPath: staging,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try FileManager.default.copyItem(atPath: path, toPath: staging + "/" + appName)
        } catch {
            throw DaemonError("cannot copy \(path) to \(staging): \(error.localizedDescription)")
        }
        let record = Record(
            appName: appName,
            approved: approved.sorted(),
            hashes: try Self.hashes(of: AppBundle(path: staging + "/" + appName))
        )
        guard let data = try? JSONEncoder().encode(record) else {
            throw DaemonError("cannot encode the record of \(name)")
        }
        try DurableFile.write(data, to: staging + "/record.json", durability: .power)
        do {
            try? FileManager.default.removeItem(atPath: place)
            try FileManager.default.moveItem(atPath: staging, toPath: place)
        } catch {
            throw DaemonError("cannot move \(staging) to \(place): \(error.localizedDescription)")
        }
        let installed = try self.load(name)
        self.apps[installed.bundle.id] = installed
        return installed
    }

    /// Approval is for exactly the files installed: what leads elsewhere, or is no file, cannot be approved.
    private static func checkContents(of path: String) throws(DaemonError) {
        guard let walk = FileManager.default.enumerator(atPath: path) else {
            throw DaemonError("\(path) is missing or cannot be read")
        }
        var count = 0
        for case let name as String in walk {
            count += 1
            // Ten thousand: an app of this size is a mistake, such as a whole build folder.
            guard count <= 10_000 else { throw DaemonError("\(path) holds more than 10,000 files; bundle less") }
            let place = path + "/" + name
            let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
            guard type == .typeRegular || type == .typeDirectory else {
                throw DaemonError(
                    "\(place) is neither a file nor a folder; a bundle holds nothing else, no links either"
                )
            }
        }
    }

    mutating func uninstall(_ id: BundleID) {
        self.apps[id] = nil
        try? FileManager.default.removeItem(atPath: self.directory + "/" + id.rawValue)
    }

    private static func hashes(of bundle: AppBundle) throws(DaemonError) -> [String: String] {
        var paths = [bundle.executable, bundle.path + "/Info.plist", bundle.path + "/Entitlements.plist"]
        if let inside = bundle.pushExtension {
            paths += [inside.executable, inside.directory + "/Info.plist", inside.directory + "/Entitlements.plist"]
        }
        var hashes: [String: String] = [:]
        for path in paths where FileManager.default.fileExists(atPath: path) {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw DaemonError("\(path) cannot be read")
            }
            let name = String(path.dropFirst(bundle.path.count + 1))
            hashes[name] = SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
        }
        return hashes
    }
}
