internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// Gives each app its own user, if locationd serves the whole machine (ADR 0082).
extension Daemon {
    /// Reads the users of apps; nil: apps run as locationd does.
    static func appUsers(_ configuration: DaemonConfiguration) throws(DaemonError) -> AppUsers? {
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
    func isAppsUser(_ user: uid_t) -> Bool { self.appUsers?.range.contains(user) ?? false }

    /// Assigns a starting app a user, and opens its files to that user; broker apps need no user.
    func giveUser(to bundle: BundleID) throws(DaemonError) {
        _ = try self.appUsers?.assign(bundle) { user in
            unsafe clinux_user_has_processes(user) == 1 || getpwuid(user) != nil
        }
        try self.openFiles(of: bundle)
    }

    /// The number of installed apps without a free user; broker apps need none.
    var appsWithoutUser: Int {
        self.appUsers?.shortage(
            of: self.bundles.apps.keys.filter { !Self.isOfBroker($0) && $0 != NMEAReaders.bundle },
            isTaken: { unsafe getpwuid($0) != nil }
        ) ?? 0
    }

    /// The warning when there may be no user for an installed app.
    func userWarning(for bundle: BundleID) -> [String] {
        guard let users = self.appUsers, users.numbers[bundle] == nil, !Self.isOfBroker(bundle),
            bundle != NMEAReaders.bundle, self.appsWithoutUser > 0
        else { return [] }
        return [
            "the \(users.range.count) users of --app-users are too few for all installed apps, so some apps cannot start; "
                + "widen --app-users, or uninstall one"
        ]
    }

    /// Opens an app's directories to its user: the installed files for reading, the container for writing.
    func openFiles(of bundle: BundleID) throws(DaemonError) {
        guard let user = self.appUsers?.numbers[bundle] else { return }
        try Self.own("\(self.configuration.stateDirectory)/apps/\(bundle.rawValue)", by: 0, group: user, mode: 0o750)
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
    func takeUserBack(from bundle: BundleID) throws(DaemonError) {
        if unsafe access(self.container(of: bundle), F_OK) != 0 { try self.appUsers?.giveBack(bundle) }
    }

    /// Listens for owners: locationd's user and members of the owners' group, or all users if polkit decides.
    func listenToOwners(
        _ name: String,
        at path: String,
        asksPolkit: Bool = false,
        _ connected: @escaping @Sendable (isolated Daemon, PacketSocket) -> Void
    ) throws -> PacketListener {
        let group = self.configuration.ownersGroup
        let mode: mode_t = asksPolkit && self.configuration.asksPolkit ? 0o666 : group == nil ? 0o600 : 0o660
        let listener = try self.listen(name, at: path, mode: mode, connected)
        if let group, unsafe lchown(path, geteuid(), group) != 0 {
            throw DaemonError(
                "cannot give \(path) to the group \(group) of --owners: \(unsafe String(cString: strerror(errno))); start locationd as root, "
                    + "or as a member of the group"
            )
        }
        // A socket from the service manager keeps its unit's mode.
        guard unsafe mode == 0o600 || chmod(path, mode) == 0 else {
            throw DaemonError("cannot make \(path) accessible to others: \(unsafe String(cString: strerror(errno)))")
        }
        return listener
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
}
