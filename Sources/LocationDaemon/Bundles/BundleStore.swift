internal import CLinux
internal import Crypto
internal import Foundation
internal import Glibc
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
        /// The state of its files when they were last compared with their hashes.
        fileprivate var stamps: [FileStamp?]
    }

    private struct Record: Codable {
        var appName: String
        var approved: [String]
        var hashes: [String: String]
    }

    /// As many as are told of in one packet.
    static let appsMax = 128

    private let directory: String
    private(set) var apps: [BundleID: Installed] = [:]

    init(directory: String) throws(DaemonError) {
        self.directory = directory
        try DurableFile.makeDirectory(directory)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        // What an installation left that was broken off.
        for name in names where name.hasPrefix(".") && name.hasSuffix(".new") {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        for name in names where !name.hasPrefix(".") {
            // An app whose bundle went bad is not served; the others are.
            if let installed = try? self.load(name) { self.apps[installed.bundle.id] = installed }
        }
    }

    /// Reads an installed app; `isFresh` when its hashes were recorded a moment ago, of a hundred megabytes perhaps.
    private func load(_ name: String, isFresh: Bool = false) throws(DaemonError) -> Installed {
        let place = self.directory + "/" + name
        guard let data = FileManager.default.contents(atPath: place + "/record.json"),
            let record = try? JSONDecoder().decode(Record.self, from: data)
        else { throw DaemonError("\(place)/record.json is missing or cannot be read") }
        let bundle = try AppBundle(path: place + "/" + record.appName)
        let stamps = Self.stamps(of: bundle)
        let hashes = isFresh ? record.hashes : try Self.hashes(of: bundle)
        let isIntact = hashes == record.hashes
        return Installed(
            bundle: bundle,
            approved: isIntact ? Set(record.approved) : [],
            executable: try FileIdentity(path: bundle.executable),
            isIntact: isIntact,
            stamps: stamps
        )
    }

    /// Looks whether an app's files are still those that were installed.
    ///
    /// - Returns: true when this is the first look at a change.
    mutating func filesChanged(of id: BundleID) -> Bool {
        guard var installed = self.apps[id], Self.stamps(of: installed.bundle) != installed.stamps else { return false }
        let wasIntact = installed.isIntact
        if let again = try? self.load(id.rawValue), again.bundle.id == id {
            installed = again
        } else {
            // Not even a bundle any more: what is known of it stays, for the status.
            installed.isIntact = false
            installed.approved = []
            installed.stamps = Self.stamps(of: installed.bundle)
        }
        self.apps[id] = installed
        return wasIntact && !installed.isIntact
    }

    /// Whether a process that was recorded is still there, and is the installed app.
    func runs(_ record: ProcessLedger.Record) -> Bool {
        guard let app = self.apps[BundleID(record.bundle)], app.isIntact,
            ProcessIdentity(pid: record.process.pid) == record.process
        else { return false }
        return (try? FileIdentity(path: "/proc/\(record.process.pid)/exe")) == app.executable
    }

    /// Copies a bundle in, in place of an earlier version, if the device has the capabilities it needs.
    mutating func install(
        path: String,
        approving approved: Set<String>,
        capabilities: Set<String>
    ) throws(DaemonError) -> Installed {
        try Self.checkContents(of: path)
        let offered = try AppBundle(path: path)
        try offered.checkCapabilities(offered: capabilities)
        if let unasked = approved.subtracting(offered.entitlements).sorted().first {
            throw DaemonError("\(path) does not ask for the entitlement \(unasked), which was to be approved")
        }
        guard self.apps[offered.id] != nil || self.apps.count < Self.appsMax else {
            throw DaemonError("\(self.apps.count) apps are installed, the most there may be; uninstall one first")
        }
        let name = offered.id.rawValue
        let staging = self.directory + "/.\(name).new"
        let place = self.directory + "/" + name
        let appName = (path as NSString).lastPathComponent
        // Also where it fails: a copy that stayed could fill the disk.
        defer { try? FileManager.default.removeItem(atPath: staging) }
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
            if unsafe access(place, F_OK) == 0 {
                // Both at once: at no instant is there no version.
                guard unsafe clinux_exchange(staging, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } else {
                try FileManager.default.moveItem(atPath: staging, toPath: place)
            }
        } catch {
            throw DaemonError("cannot move \(staging) to \(place): \(error.localizedDescription)")
        }
        let installed = try self.load(name, isFresh: true)
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

    /// The files that decide what the app is and may.
    private static func decisiveFiles(of bundle: AppBundle) -> [String] {
        var paths = [bundle.executable, bundle.path + "/Info.plist", bundle.path + "/Entitlements.plist"]
        if let inside = bundle.pushExtension {
            paths += [inside.executable, inside.directory + "/Info.plist", inside.directory + "/Entitlements.plist"]
        }
        return paths
    }

    private static func stamps(of bundle: AppBundle) -> [FileStamp?] {
        self.decisiveFiles(of: bundle).map { FileStamp(path: $0) }
    }

    private static func hashes(of bundle: AppBundle) throws(DaemonError) -> [String: String] {
        var hashes: [String: String] = [:]
        for path in self.decisiveFiles(of: bundle) where FileManager.default.fileExists(atPath: path) {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw DaemonError("\(path) cannot be read")
            }
            let name = String(path.dropFirst(bundle.path.count + 1))
            hashes[name] = SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
        }
        return hashes
    }
}
