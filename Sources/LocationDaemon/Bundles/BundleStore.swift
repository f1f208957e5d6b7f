internal import CLinux
internal import Crypto
internal import DurableStorage
internal import Foundation
internal import Glibc
internal import LocationEngine
internal import Vocabulary

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
    /// The apps whose files cannot be read, and why; they are not served, and their files stay.
    private(set) var broken: [BundleID: DaemonError] = [:]

    init(directory: String) throws(DaemonError) {
        self.directory = directory
        try StateFile.makeDirectory(directory)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        // What an installation left that was broken off.
        for name in names where name.hasPrefix(".") && name.hasSuffix(".new") {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        for name in names where !name.hasPrefix(".") {
            do throws(DaemonError) {
                let installed = try self.load(name)
                self.apps[installed.bundle.id] = installed
            } catch {
                // What is called otherwise was never an app.
                if AppBundle.isIdentifier(name) { self.broken[BundleID(name)] = error }
            }
        }
    }

    /// Reads an installed app; `isFresh` when its hashes were recorded a moment ago, of a hundred megabytes perhaps.
    private func load(_ name: String, isFresh: Bool = false) throws(DaemonError) -> Installed {
        let place = self.directory + "/" + name
        guard let data = try StateFile.read(place + "/record.json") else {
            throw DaemonError("\(place)/record.json is missing; it tells what was approved for which files")
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: data) else {
            throw DaemonError("\(place)/record.json is no JSON object with appName, approved and hashes")
        }
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

    /// A copy of a bundle that is ready to be installed.
    struct Copy: Sendable {
        let id: BundleID
        let directory: String
    }

    /// Where a copy is made; the number is of this one alone.
    func staging(_ number: Int) -> String { "\(self.directory)/.\(number).new" }

    /// Copies a bundle, if the device has the capabilities it needs; hashes and saves it.
    ///
    /// Touches nothing but the copy: it may take seconds, and runs beside everything else.
    static func copy(
        _ path: String,
        to staging: String,
        approving approved: Set<String>,
        capabilities: Set<String>
    ) throws(DaemonError) -> Copy {
        try self.checkContents(of: path)
        let offered = try AppBundle(path: path)
        try offered.checkCapabilities(offered: capabilities)
        if let unasked = approved.subtracting(offered.entitlements).sorted().first {
            throw DaemonError("\(path) does not ask for the entitlement \(unasked), which was to be approved")
        }
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
        // What was looked at is the copy: the original may change meanwhile.
        let bundle = try AppBundle(path: staging + "/" + appName)
        guard bundle.id == offered.id, approved.isSubset(of: bundle.entitlements) else {
            throw DaemonError("\(path) changed while it was copied; install it again")
        }
        let record = Record(appName: appName, approved: approved.sorted(), hashes: try self.hashes(of: bundle))
        guard let data = try? JSONEncoder().encode(record) else {
            throw DaemonError("cannot encode the record of \(bundle.id)")
        }
        try StateFile.write(data, to: staging + "/record.json", durability: .power)
        return Copy(id: bundle.id, directory: staging)
    }

    /// Puts a copy in place of an earlier version, which is in the copy's folder then.
    mutating func install(_ copy: Copy) throws(DaemonError) -> Installed {
        guard self.apps[copy.id] != nil || self.apps.count < Self.appsMax else {
            throw DaemonError("\(self.apps.count) apps are installed, the most there may be; uninstall one first")
        }
        let place = self.directory + "/" + copy.id.rawValue
        do {
            if unsafe access(place, F_OK) == 0 {
                // Both at once: at no instant is there no version.
                guard unsafe clinux_exchange(copy.directory, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } else {
                try FileManager.default.moveItem(atPath: copy.directory, toPath: place)
            }
        } catch {
            throw DaemonError("cannot move \(copy.directory) to \(place): \(error.localizedDescription)")
        }
        let installed = try self.load(copy.id.rawValue, isFresh: true)
        self.apps[copy.id] = installed
        self.broken[copy.id] = nil
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
        self.broken[id] = nil
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
            hashes[name] = Hex.text(of: SHA256.hash(data: data))
        }
        return hashes
    }
}
