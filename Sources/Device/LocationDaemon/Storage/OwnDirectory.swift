internal import Foundation
internal import Glibc

/// Checks the directories of the state and of the sockets: a user who can write to such a directory, or to one on the
/// path to it, could replace keys, approvals, apps and sockets.
enum OwnDirectory {
    /// The use of a directory.
    enum Use: Sendable {
        case state
        case runtime

        /// The harm that another user could do in the directory.
        fileprivate var harm: String {
            switch self {
            case .state: "who can put other keys and apps there"
            case .runtime: "who can put other sockets there, and be taken for locationd"
            }
        }

        /// The remedy that works for every fault.
        fileprivate var another: String {
            switch self {
            case .state: "name a directory of locationd's own with --state"
            case .runtime: "name a directory of locationd's own with --runtime"
            }
        }
    }

    /// A directory that other users can change, and the remedy.
    struct Fault: Error, Sendable, Hashable {
        var words: String
        var remedy: String
    }

    /// The path of an existing directory without links, so that each directory has exactly one name.
    static func real(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The directories with the files that locationd trusts.
    static func all(in state: String) -> [String] {
        [state] + ["apps", "containers", "output", "pushes"].map { state + "/" + $0 }
    }

    /// The directories on the path and on its resolved form, from the root on.
    static func way(to path: String) -> [String] {
        var way = ["/"]
        for path in [path, self.real(path)] where path.hasPrefix("/") {
            var folder = ""
            for name in path.split(separator: "/").dropLast() {
                folder += "/\(name)"
                if !way.contains(folder) { way.append(folder) }
            }
        }
        return way
    }

    /// The first fault of a state directory, or of the path to it.
    ///
    /// A missing directory has no fault.
    static func fault(in state: String) -> Fault? {
        self.fault(of: self.all(in: state), for: .state) ?? self.faultOnTheWay(to: state, for: .state)
    }

    /// The first fault of the directory of the sockets, or of the path to it.
    static func fault(ofRuntime path: String) -> Fault? {
        self.fault(of: [path], for: .runtime) ?? self.faultOnTheWay(to: path, for: .runtime)
    }

    private static func fault(of paths: [String], for use: Use) -> Fault? {
        for path in paths {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { continue }
            let fault = Self.fault(of: path, owner: status.st_uid, mode: status.st_mode, user: geteuid(), for: use)
            if let fault { return fault }
        }
        return nil
    }

    private static func faultOnTheWay(to path: String, for use: Use) -> Fault? {
        for folder in self.way(to: path) {
            var status = stat()
            guard unsafe stat(folder, &status) == 0 else { continue }
            let owner = Owner(user: status.st_uid, group: status.st_gid)
            let fault = self.fault(of: folder, onTheWayTo: path, owner, mode: status.st_mode, user: geteuid(), for: use)
            if let fault { return fault }
        }
        return nil
    }

    /// The owner of a directory.
    struct Owner: Sendable, Hashable {
        var user: uid_t
        var group: gid_t

        /// The owner that the kernel reports for a user outside of this user namespace, such as the host's root in a container.
        static let unknown: uid_t = 65_534
    }

    /// The fault of a directory on a path, according to its mode and owner.
    ///
    /// In a sticky directory, such as /tmp, users cannot rename the files of others. A group with the same number as
    /// the owner contains only the owner, on systems whose default umask lets the group write.
    static func fault(
        of folder: String,
        onTheWayTo path: String,
        _ owner: Owner,
        mode: mode_t,
        user: uid_t,
        for use: Use
    ) -> Fault? {
        let place = "\(folder), on the way to \(path),"
        let harm = "who can put another directory in its place"
        guard [user, 0, Owner.unknown].contains(owner.user) else {
            return Fault(words: "\(place) belongs to the user \(owner.user), \(harm)", remedy: use.another)
        }
        let isGroupOthers = owner.group != owner.user && owner.group != 0
        let open: mode_t = isGroupOthers ? 0o022 : 0o002
        guard mode & open != 0, mode & S_ISVTX == 0 else { return nil }
        let words =
            "\(place) may be written by others (mode \(String(mode & 0o7777, radix: 8))), \(harm)"
        guard owner.user == user else { return Fault(words: words, remedy: use.another) }
        return Fault(words: words, remedy: "chmod go-w \(folder); otherwise \(use.another)")
    }

    /// The fault of a directory, according to its mode and owner.
    ///
    /// Other users may read the directory: each file in it has its own mode. The group bits of the mode include an access list (acl(5)).
    static func fault(of path: String, owner: uid_t, mode: mode_t, user: uid_t, for use: Use = .state) -> Fault? {
        guard owner == user || owner == 0 else {
            return Fault(
                words: "\(path) belongs to the user \(owner), \(use.harm)",
                remedy: "\(use.another); or, if all in it is yours, chown -R \(user) \(path)"
            )
        }
        guard mode & 0o022 != 0 else { return nil }
        let words =
            "\(path) may be written by others (mode \(String(mode & 0o7777, radix: 8))), \(use.harm)"
        // Do not suggest chmod for a directory that users share, such as /tmp.
        guard owner == user, mode & S_ISVTX == 0 else { return Fault(words: words, remedy: use.another) }
        return Fault(words: words, remedy: "if all in it is yours, chmod go-w \(path); otherwise \(use.another)")
    }
}
