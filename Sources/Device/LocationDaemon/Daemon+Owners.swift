internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationWire
internal import WhereaboutsVocabulary

/// polkit as the second way to become an owner: for the person at the seat, or the people that polkit's rules name (ADR 0024).
///
/// Until polkit has answered, the connection has no rights; all other work continues. ``PolkitChecks`` asks polkit.
extension Daemon {
    typealias Applicant = PolkitChecks.Applicant

    /// Admits the connection of an owner, at once or after polkit has agreed; refuses all others.
    ///
    /// - Parameters:
    ///   - socket: the connection.
    ///   - refused: receives the reason, to send it to the peer.
    ///   - admitted: receives the process that polkit was asked about, or nil if polkit was not asked.
    func admitOwner(
        _ socket: PacketSocket,
        refused: @escaping @Sendable (isolated Daemon, String) -> Void,
        admitted: @escaping @Sendable (isolated Daemon, Applicant?) -> Void
    ) {
        guard self.configuration.asksPolkit, let peer = socket.peer, !self.owns(socket, peer.uid) else {
            guard !self.isOwners(socket) else { return admitted(self, nil) }
            let mayOrder = socket.peer.map { self.owns(socket, $0.uid) } ?? false
            return self.turnAway(socket, mayOrder ? Self.refusalOfApps : Self.refusalOfUsers, refused)
        }
        guard !self.isAppsUser(peer.uid), let process = ProcessIdentity(pid: peer.pid),
            // A process of another user may have received the number since the peer connected.
            Self.user(of: peer.pid) == peer.uid, !self.isOfApp(peer.pid)
        else {
            self.refuseOwner(peer.pid, peer.uid)
            return self.turnAway(socket, Self.refusalOfApps, refused)
        }
        let applicant = Applicant(process: process, user: peer.uid)
        self.askPolkit(about: applicant) { daemon, isAllowed in
            guard !daemon.isStopping else { return }
            if isAllowed { return admitted(daemon, applicant) }
            daemon.refusePolkit(applicant)
            var words =
                "polkit did not allow \(PolkitCoordinator.action) (`pkaction -v -a \(PolkitCoordinator.action)` shows its rule)"
            if case .fails(let failure) = daemon.polkit.state {
                words = "polkit was not asked: \(failure.cause); \(failure.remedy)"
            }
            daemon.turnAway(
                socket,
                "this user may not control locationd (not a member of the group of --owners); \(words)",
                refused
            )
        }
    }

    /// The refusal for apps and their descendants.
    private static let refusalOfApps =
        "apps and the programs that they start may not control locationd; run this yourself, in a session that no app started"
    /// The refusal for users who are not owners.
    private static let refusalOfUsers =
        "this user may not control locationd; only its own user, root and members of the group of its --owners may; "
        + "let root add this user to that group (adduser USER GROUP), and log in again"

    /// Refuses a connection of the owner beyond the limit of its kind.
    func turnAwaySurplus(
        _ socket: PacketSocket,
        _ reason: String,
        _ refused: (isolated Daemon, String) -> Void
    ) {
        self.bounds.warn(
            .connectionsRefused,
            "too many connections to the owner's sockets; one was refused",
            ProcessTree.metadata(of: socket.peer?.pid, socket.peer?.uid)
        )
        self.turnAway(socket, reason, refused)
    }

    /// Sends a refused connection the reason.
    private func turnAway(
        _ socket: PacketSocket,
        _ reason: String,
        _ refused: (isolated Daemon, String) -> Void
    ) {
        // Read the waiting packets first: closing a socket with unread packets resets it.
        self.dropsQueue(of: socket)
        refused(self, reason)
    }

    /// Counts an applicant that polkit refused, or that polkit could not be asked about.
    func refusePolkit(_ applicant: Applicant) {
        self.refuseOwner(applicant.process.pid, applicant.user)
        self.polkit.refused()
    }

    private static func user(of pid: Int32) -> uid_t? {
        var status = stat()
        return unsafe lstat("/proc/\(pid)", &status) == 0 ? status.st_uid : nil
    }

    /// Asks polkit whether a process may manage locationd.
    func askPolkit(
        about applicant: Applicant,
        _ answered: @escaping @Sendable (isolated Daemon, Bool) -> Void
    ) {
        self.polkit.ask(about: applicant) { [weak self] isAllowed in self?.assumeIsolated { answered($0, isAllowed) } }
    }

    /// Whether the peer may give orders and answer prompts: locationd's user, root, or a member of the owners' group, but no app's process.
    ///
    /// The socket's mode also checks the user and group, unless polkit is used. This check holds even if the mode was changed.
    func isOwners(_ socket: PacketSocket) -> Bool {
        guard let peer = socket.peer, self.owns(socket, peer.uid), !self.isOfApp(peer.pid) else {
            self.refuseOwner(socket.peer?.pid, socket.peer?.uid)
            return false
        }
        return true
    }

    /// Counts a process that was refused at the owner's sockets.
    func refuseOwner(_ pid: Int32?, _ user: uid_t?) {
        self.bounds.warn(
            .ownersRefused,
            "a process was refused at the owner's sockets",
            ProcessTree.metadata(of: pid, user)
        )
    }

    func owns(_ socket: PacketSocket, _ user: uid_t) -> Bool {
        if user == geteuid() || user == 0 { return true }
        guard let group = self.configuration.ownersGroup, !self.isAppsUser(user) else { return false }
        return socket.peerGroups.contains(group)
    }

    func isAppsUser(_ user: uid_t) -> Bool { self.folders.isAppsUser(user) }

    /// Whether a process belongs to an app, or was started by one.
    func isOfApp(_ pid: Int32) -> Bool { self.processes.isOfApp(pid, self.bundles) }

    /// Makes locationd the parent of apps' orphans, so that an orphan is still recognized as an app's process.
    ///
    /// Call this only in a process that runs nothing but locationd: it waits for every child of the process.
    public func adoptOrphans() { self.processes.adoptOrphans() }

    func reapOrphans() { self.processes.reapOrphans(besides: self.polkit.processes) }

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
}
