internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The installed apps: copies in locationd's own folder, each with a sealed record of the approved entitlements and the
/// hashes of the approved files (ADR 0006); the seal prevents approvals by other programs (ADR 0039).
struct BundleStore {
    /// An app that is installed.
    struct Installed {
        var bundle: AppBundle
        /// The approved entitlements; empty when a file changed since.
        var approved: Set<String>
        var executable: FileIdentity
        var isIntact: Bool
        /// The files, and their state when they were last compared with their hashes.
        fileprivate var contents: BundleContents
        fileprivate var stamps: [FileStamp?]
    }

    private struct Record: Codable {
        var appName: String
        var approved: [String]
        var hashes: [String: String]

        static let name = "record.sealed"

        /// The purpose of the seal, so that one app's record cannot replace another's.
        static func purpose(_ bundle: String) -> String { "record of \(bundle)" }
    }

    /// The maximum number of installed apps: a packet to an agent lists all of them.
    static let appsMax = 128

    private let directory: String
    private let seal: StateSeal
    private(set) var apps: [BundleID: Installed] = [:]
    /// The apps whose files cannot be read, and why; they are not served, and their files stay.
    private(set) var broken: [BundleID: DaemonError] = [:]

    init(directory: String, seal: StateSeal) throws(DaemonError) {
        self.directory = directory
        self.seal = seal
        try StateFile.makeDirectory(directory)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        // Remove the copies of interrupted installations, which would fill the disk.
        for name in names where name.hasPrefix(".") && name.hasSuffix(".new") {
            try? FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        for name in names where !name.hasPrefix(".") {
            do throws(DaemonError) {
                let installed = try self.load(name)
                self.apps[installed.bundle.id] = installed
            } catch {
                // A folder without a valid identifier as its name was never an app, and is not reported as a broken
                // one.
                if name.isBundleIdentifier { self.broken[BundleID(name)] = error }
            }
        }
    }

    /// Logs the apps that are not served, and why.
    func logBroken(to logger: Logger) {
        for (bundle, reason) in self.broken.sorted(by: { $0.key < $1.key }) {
            logger.error(
                "an installed app is not served; install it again, or uninstall it",
                metadata: ["app": "\(bundle)", "reason": "\(reason)"]
            )
        }
    }

    /// Reads an installed app; `isFresh` skips hashing its files again, perhaps a hundred megabytes, right after the installation.
    private func load(_ name: String, isFresh: Bool = false) throws(DaemonError) -> Installed {
        let place = self.directory + "/" + name
        let path = place + "/" + Record.name
        guard let sealed = try StateFile.read(path) else {
            throw DaemonError("\(path) is missing; this file contains the approval of the app")
        }
        guard let data = try? self.seal.open(sealed, for: Record.purpose(name), at: path),
            let record = try? JSONReader().decode(Record.self, from: data)
        else { throw DaemonError("\(path) was not written by this locationd, so it is unknown what was approved") }
        let bundle = try AppBundle(path: place + "/" + record.appName)
        guard bundle.id.rawValue == name else {
            throw DaemonError("\(bundle.path) is the app \(bundle.id), not \(name)")
        }
        let contents = try BundleContents(of: bundle.path)
        let stamps = contents.stamps()
        let hashes = isFresh ? record.hashes : try contents.hashes()
        let isIntact = hashes == record.hashes
        return Installed(
            bundle: bundle,
            approved: isIntact ? Set(record.approved) : [],
            executable: try FileIdentity(path: bundle.executable),
            isIntact: isIntact,
            contents: contents,
            stamps: stamps
        )
    }

    /// Compares an app's files with the installed ones.
    ///
    /// - Returns: true when the files differ, and did not at the last comparison.
    mutating func filesChanged(of id: BundleID) -> Bool {
        guard var installed = self.apps[id], installed.contents.stamps() != installed.stamps else { return false }
        let wasIntact = installed.isIntact
        guard let again = try? self.load(id.rawValue), again.bundle.id == id else {
            // The bundle cannot be read now. It is not started, and is read again later: a disk that fails once must not undo
            // an approval.
            installed.isIntact = false
            self.apps[id] = installed
            return false
        }
        installed = again
        self.apps[id] = installed
        return wasIntact && !installed.isIntact
    }

    /// Whether a recorded process still runs, and its executable is that of the installed app.
    func runs(_ record: ProcessLedger.Record) -> Bool {
        guard let app = self.apps[BundleID(record.bundle)], app.isIntact,
            ProcessIdentity(pid: record.process.pid) == record.process
        else { return false }
        // The kernel shows a script's interpreter, which other apps may share, as the executable.
        return (try? FileIdentity(path: "/proc/\(record.process.pid)/exe")) == app.executable
            || record.script == app.executable
    }

    /// The identity of an app's executable, if the executable is a script.
    func script(of id: BundleID) -> FileIdentity? {
        guard let app = self.apps[id], let file = FileHandle(forReadingAtPath: app.bundle.executable) else {
            return nil
        }
        return (try? file.read(upToCount: 2)) == Data("#!".utf8) ? app.executable : nil
    }

    /// Whether a recorded process still runs, but its app's files were replaced or removed meanwhile.
    func isLeftBehind(_ record: ProcessLedger.Record) -> Bool {
        guard ProcessIdentity(pid: record.process.pid) == record.process, !self.runs(record) else { return false }
        if record.script != nil { return true }
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(record.process.pid)/exe")
        else { return false }
        return path.hasPrefix(URL(fileURLWithPath: self.directory).resolvingSymlinksInPath().path + "/")
    }

    /// A copy of a bundle that is ready to be installed.
    struct Copy: Sendable {
        let id: BundleID
        let directory: String
    }

    /// The directory in which a copy is made; no two copies have the same number.
    func staging(_ number: Int) -> String { "\(self.directory)/.\(number).new" }

    /// Copies a bundle, if the device has the capabilities it needs; hashes and saves it.
    ///
    /// Changes nothing but the copy: copying may take seconds, and runs in the background. Only the copy is checked,
    /// because the original may change at any time.
    ///
    /// - Parameters:
    ///   - path: the bundle.
    ///   - reader: the user and groups with whose rights the bundle is read; nil: this process's.
    ///   - staging: the folder of the copy, which is replaced if it exists.
    ///   - approved: the entitlements that the installer approves.
    ///   - capabilities: the capabilities of the device.
    ///   - seal: seals the record of the approval.
    /// - Returns: the copy, which is on the disk.
    /// - Throws: ``DaemonError`` for a bundle that cannot be installed here.
    static func copy(
        _ path: String,
        as reader: HeldDirectory.Reader? = nil,
        to staging: String,
        approving approved: Set<String>,
        capabilities: Set<String>,
        seal: StateSeal
    ) throws(DaemonError) -> Copy {
        let original = try HeldDirectory(path: path, as: reader)
        // Resolve a link to a bundle: a copy of the link would not be a folder.
        let path = original.path ?? path
        try AppBundle.check(path: path)
        let appName = (path as NSString).lastPathComponent
        do {
            try? FileManager.default.removeItem(atPath: staging)
            try FileManager.default.createDirectory(
                atPath: staging,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DaemonError("cannot make \(staging): \(error.localizedDescription)")
        }
        try BundleCopy.copy(original, at: path, to: staging + "/" + appName)
        let bundle: AppBundle
        do throws(DaemonError) {
            bundle = try AppBundle(path: staging + "/" + appName)
            try bundle.checkCapabilities(offered: capabilities)
        } catch {
            // Name the original's path in the error; people do not know the copy's.
            throw DaemonError(error.description.replacing("\(staging)/\(appName)", with: path))
        }
        if let unasked = approved.subtracting(bundle.entitlements).sorted().first {
            throw DaemonError("\(path) does not ask for the entitlement \(unasked), which the command approves")
        }
        let contents = try BundleContents(of: bundle.path)
        let record = Record(appName: appName, approved: approved.sorted(), hashes: try contents.hashes())
        guard let data = try? JSONEncoder().encode(record) else {
            throw DaemonError("cannot encode the record of \(bundle.id)")
        }
        try contents.synchronize()
        let sealed = try seal.seal(data, for: Record.purpose(bundle.id.rawValue))
        // This also syncs the staging folder, and with it the name of the bundle.
        try StateFile.write(sealed, to: staging + "/" + Record.name, durability: .power)
        return Copy(id: bundle.id, directory: staging)
    }

    /// Replaces an earlier version by a copy; the earlier version is in the copy's folder afterwards.
    mutating func install(_ copy: Copy) throws(DaemonError) -> Installed {
        guard self.apps[copy.id] != nil || self.apps.count < Self.appsMax else {
            throw DaemonError("\(self.apps.count) apps are installed, which is the limit; uninstall one first")
        }
        let place = self.directory + "/" + copy.id.rawValue
        // Exchange both at once if there is an earlier version, so that the app is always there.
        let isFirst = unsafe access(place, F_OK) != 0
        func put() -> Bool {
            unsafe (isFirst ? rename(copy.directory, place) : clinux_exchange(copy.directory, place)) == 0
        }
        guard put() else {
            throw DaemonError("cannot move \(copy.directory) to \(place): \(unsafe String(cString: strerror(errno)))")
        }
        do throws(DaemonError) {
            try StateFile.synchronize(self.directory)
        } catch {
            // Undo an installation that may not survive a power failure, and do not report it.
            _ = unsafe isFirst ? rename(place, copy.directory) : clinux_exchange(copy.directory, place)
            throw error
        }
        let installed = try self.load(copy.id.rawValue, isFresh: true)
        self.apps[copy.id] = installed
        self.broken[copy.id] = nil
        return installed
    }

    /// Removes an app; one rename hides its folder, so that a partly removed folder never looks like an app.
    mutating func uninstall(_ id: BundleID) throws(DaemonError) {
        let place = self.directory + "/" + id.rawValue
        let leaving = "\(self.directory)/.\(id.rawValue).new"
        try? FileManager.default.removeItem(atPath: leaving)
        guard unsafe rename(place, leaving) == 0 || errno == ENOENT else {
            throw DaemonError("cannot remove \(place): \(unsafe String(cString: strerror(errno)))")
        }
        self.apps[id] = nil
        self.broken[id] = nil
        try? FileManager.default.removeItem(atPath: leaving)
        try StateFile.synchronize(self.directory)
    }
}
