internal import Dispatch
internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsVocabulary

/// The folders of apps in the state directory; in a system service each belongs to its app's own Linux user (ADR 0082).
///
/// Used only on the daemon's queue; large removals run on a separate queue.
final class AppFolders {
    /// The suffix of the name of a container that is being removed.
    private static let asideSuffix = ".removed"

    private let state: String
    /// The Linux users that apps run as; nil: apps run as locationd's user.
    private(set) var users: AppUsers?
    /// Removes containers one after the other.
    private let removing = DispatchQueue(label: "locationd.removing", qos: .utility)
    private let reach: Reach<AppFolders>
    /// The last measurement of what apps store on a full disk.
    private var lastLook: EngineInstant?
    private var isLooking = false

    /// Reads which Linux user each app has.
    ///
    /// - Parameters:
    ///   - configuration: the directories, and the range of user IDs for apps.
    ///   - reach: finds this object for its event handlers.
    /// - Throws: ``DaemonError`` when apps could not open their files, or the file of user IDs cannot be read.
    init(_ configuration: DaemonConfiguration, reach: Reach<AppFolders>) throws(DaemonError) {
        self.state = configuration.stateDirectory
        self.reach = reach
        self.users = try Self.appUsers(configuration)
    }

    func container(of bundle: BundleID) -> String { "\(self.state)/containers/\(bundle.rawValue)" }

    func outputPath(of bundle: BundleID) -> String { "\(self.state)/output/\(bundle.rawValue).log" }

    /// The Linux user that an app runs as; nil: locationd's user, or the app never started.
    func user(of bundle: BundleID) -> uid_t? { self.users?.numbers[bundle] }

    /// Reads the Linux users of apps; nil: apps run as locationd's user.
    private static func appUsers(_ configuration: DaemonConfiguration) throws(DaemonError) -> AppUsers? {
        let state = configuration.stateDirectory
        guard let range = configuration.appUsers else {
            guard unsafe access(AppUsers.path(in: state), F_OK) != 0 else {
                throw DaemonError(
                    "the apps in \(state) have their own users; give the same --app-users range as before"
                )
            }
            return nil
        }
        guard geteuid() == 0 else {
            throw DaemonError("--app-users needs root: only root may start apps as other users")
        }
        let users = try AppUsers(range: range, state: state)
        try self.checkPassage(to: state)
        try StateFile.makeDirectory(state + "/apps")
        // Let apps pass through these directories to their own files, but not list them.
        for directory in [state, state + "/apps", state + "/containers"] { try Self.own(directory, by: 0, mode: 0o711) }
        try Self.own(configuration.runtimeDirectory, by: 0, mode: 0o755)
        return users
    }

    /// Refuses a state directory that apps cannot reach: each app would end at its start.
    private static func checkPassage(to state: String) throws(DaemonError) {
        var folder = state
        while folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
            let mode = try? FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
            guard let mode, mode & 0o001 == 0 else { continue }
            throw DaemonError(
                "apps cannot enter \(folder), which contains their files in \(state); let others enter it (chmod o+x), or name another "
                    + "directory with --state"
            )
        }
    }

    /// Whether a user belongs to an app.
    func isAppsUser(_ user: uid_t) -> Bool { self.users?.range.contains(user) ?? false }

    /// Prepares the folders of an app that starts, and assigns it a Linux user if each app has its own.
    func prepare(_ bundle: BundleID) throws(DaemonError) {
        guard self.users != nil else { return try StateFile.makeDirectory(self.container(of: bundle) + "/tmp") }
        _ = try self.users?.assign(bundle) { user in
            unsafe clinux_user_has_processes(user) == 1 || getpwuid(user) != nil
        }
        try self.openFiles(of: bundle)
    }

    /// The number of installed apps without a free user; broker apps need none.
    func appsWithoutUser(among apps: some Sequence<BundleID>) -> Int {
        self.users?.shortage(of: apps.filter(Self.needsUser), isTaken: { unsafe getpwuid($0) != nil }) ?? 0
    }

    private static func needsUser(_ bundle: BundleID) -> Bool {
        !ProgramApps.isOfBroker(bundle) && bundle != NMEAReaders.bundle
    }

    /// The warning when apps run as root.
    var warnings: [String] {
        geteuid() == 0 && self.users == nil
            ? ["locationd runs as root, and so do its apps; give each app its own user with --app-users"]
            : []
    }

    /// Returns the warnings for a newly installed app that has no user of its own.
    func warnings(for bundle: BundleID, among apps: some Sequence<BundleID>) -> [String] {
        guard let users = self.users, users.numbers[bundle] == nil, Self.needsUser(bundle),
            self.appsWithoutUser(among: apps) > 0
        else { return self.warnings }
        return self.warnings + [
            "the \(users.range.count) users of --app-users are too few for all installed apps, so some apps cannot start; "
                + "widen --app-users, or uninstall one"
        ]
    }

    /// Opens an app's directories to its user: the installed files for reading, the container for writing.
    func openFiles(of bundle: BundleID) throws(DaemonError) {
        guard let user = self.users?.numbers[bundle] else { return }
        try Self.own("\(self.state)/apps/\(bundle.rawValue)", by: 0, group: user, mode: 0o750)
        let container = self.container(of: bundle)
        var status = stat()
        if unsafe lstat(container, &status) == 0, status.st_uid != user {
            // Also give away files that the app made before it had a user. The container itself is given last, so that
            // an interrupted run is repeated.
            try HeldDirectory(path: container).giveAll(to: user)
        }
        try Self.make(container, for: user)
        try Self.make(container + "/tmp", for: user)
    }

    /// Releases the user of a removed app, unless the app was installed and started again meanwhile.
    private func takeUserBack(from bundle: BundleID) throws(DaemonError) {
        if unsafe access(self.container(of: bundle), F_OK) != 0 { try self.users?.giveBack(bundle) }
    }

    /// Creates a directory for an app inside a directory that the app can write to.
    ///
    /// The app may have put something else there; only a directory is given to it.
    private static func make(_ path: String, for user: uid_t) throws(DaemonError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw DaemonError("cannot make \(path): \(unsafe String(cString: strerror(errno)))")
        }
        try self.own(path, by: user, group: user, mode: 0o700)
    }

    private static func own(
        _ path: String,
        by owner: uid_t,
        group: gid_t = 0,
        mode: mode_t
    ) throws(DaemonError) {
        // Use the descriptor, because a symbolic link could lead root to other users' files.
        let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if directory >= 0 { close(directory) } }
        guard directory >= 0, fchown(directory, owner, group) == 0, fchmod(directory, mode) == 0 else {
            throw DaemonError("cannot change the owner of \(path): \(unsafe String(cString: strerror(errno)))")
        }
    }

    // MARK: Removing

    /// Renames a container in one step, so that a reinstalled app starts with a new one.
    ///
    /// - Returns: its new name in the folder of all containers; empty if there is no container.
    private func putContainerAside(_ bundle: BundleID) throws(DaemonError) -> [String] {
        let path = self.container(of: bundle)
        let aside = ".\(bundle.rawValue).\(UUID().uuidString)\(Self.asideSuffix)"
        let place = "\(self.state)/containers/\(aside)"
        guard unsafe rename(path, place) != 0 else { return [aside] }
        guard errno == ENOENT else {
            throw DaemonError("cannot remove \(path): \(unsafe String(cString: strerror(errno)))")
        }
        return []
    }

    /// Removes containers off the daemon's queue: an app may have stored very many files.
    ///
    /// - Parameters:
    ///   - names: the names in the folder of all containers.
    ///   - user: the user whose files in shared folders such as /tmp are removed, too; nil: only containers are removed.
    ///   - removed: receives what could not be removed, and whether the files in shared folders are gone.
    private func removeContainers(
        _ names: [String],
        of user: uid_t? = nil,
        then removed: @escaping @Sendable (HeldDirectory.Rest, _ isSwept: Bool) -> Void
    ) {
        let (queue, containers) = (self.reach.daemon.queue, self.containers)
        self.removing.async {
            var all = HeldDirectory.Rest()
            do throws(DaemonError) {
                let held = try HeldDirectory(path: containers)
                for name in names {
                    let rest = HeldDirectory.remove(name, in: held)
                    all = HeldDirectory.Rest(count: all.count + rest.count, reason: all.reason ?? rest.reason)
                }
            } catch {
                all = HeldDirectory.Rest(count: 1, reason: error.description)
            }
            let isSwept = user.map { LeftFiles.remove(of: $0) } ?? true
            queue.async { [all] in removed(all, isSwept) }
        }
    }

    /// The folder of all containers.
    var containers: String { self.state + "/containers" }

    /// The names of the files that remain while a container is not removed, for people.
    private func remains(of bundle: BundleID) -> String { "\(self.containers)/.\(bundle).*\(Self.asideSuffix)" }

    /// The names of the containers whose removal an earlier locationd did not finish.
    private var leftContainers: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.containers)) ?? []
        return names.filter { $0.hasPrefix(".") && $0.hasSuffix(Self.asideSuffix) }
    }

    /// Removes the containers whose removal an earlier locationd did not finish.
    func removeLeftContainers(_ logger: Logger) {
        let (left, containers) = (self.leftContainers, self.containers)
        guard !left.isEmpty else { return }
        self.removeContainers(left) { rest, _ in
            guard rest.count > 0 else { return }
            logger.error(
                "files of removed apps stay",
                metadata: ["folder": "\(containers)", "count": "\(rest.count)", "reason": "\(rest.reason ?? "")"]
            )
        }
    }

    /// Removes an app's output at once, and its container in the background.
    ///
    /// - Parameters:
    ///   - bundle: the app, which does not run.
    ///   - removed: receives on the daemon's queue what remains; pass it to `removed(_:_:)`.
    /// - Throws: ``DaemonError`` when the container could not be moved aside.
    func removeFiles(
        of bundle: BundleID,
        then removed: @escaping @Sendable (HeldDirectory.Rest, _ isSwept: Bool) -> Void
    ) throws(DaemonError) {
        for name in ["", ".old"] { unsafe unlink(self.outputPath(of: bundle) + name) }
        let aside = try self.putContainerAside(bundle)
        // Keep the files in shared folders if the machine has an account with this user ID.
        let user = self.user(of: bundle).flatMap { unsafe getpwuid($0) == nil ? $0 : nil }
        self.removeContainers(aside, of: user, then: removed)
    }

    /// Frees the user of a removed app; throws what remains of the app's container.
    func removed(_ bundle: BundleID, _ rest: HeldDirectory.Rest) throws(DaemonError) {
        guard rest.count == 0 else {
            throw DaemonError(
                "\(bundle) is removed, but not its container: \(rest.count) files or folders in "
                    + "\(self.remains(of: bundle)) stay "
                    + "(\(rest.reason ?? "unknown")). locationd tries again at its next start"
            )
        }
        try self.takeUserBack(from: bundle)
    }

    // MARK: A full disk

    /// The minimum time between two measurements of what apps store.
    private static let pauseBetweenLooks = Duration.seconds(10)

    /// Looks for an app that uses over a quarter of a nearly full disk, if each app runs as its own Linux user.
    ///
    /// - Parameters:
    ///   - apps: the running apps.
    ///   - found: receives that app on the daemon's queue.
    func lookAtDisk(_ apps: @autoclosure () -> [BundleID], then found: @escaping @Sendable (BundleID) -> Void) {
        let now = Clocks.now().monotonic
        guard self.users != nil, !self.isLooking,
            self.lastLook.map({ $0.duration(to: now) > Self.pauseBetweenLooks }) ?? true
        else { return }
        guard let disk = DiskShare.Disk(of: self.state), disk.isFull else { return }
        self.lastLook = now
        self.isLooking = true
        let apps = apps().map { ($0, container: self.container(of: $0), user: self.user(of: $0)) }
        let (queue, reach) = (self.reach.daemon.queue, self.reach)
        // Measure off the daemon's queue: an app may have many files.
        self.removing.async {
            let held = apps.map { bundle, container, user in
                (bundle, DiskUse(container: container, user: user, on: disk.fileSystem))
            }
            let culprit = DiskShare.culprit(on: disk, held: Dictionary(uniqueKeysWithValues: held))
            queue.async {
                reach { $0.isLooking = false }
                culprit.map(found)
            }
        }
    }
}
