internal import Foundation
internal import Glibc

/// The directories of the state: somebody else who may write there can put keys, approvals and apps in the place of the device's.
enum OwnDirectory {
    /// A directory that others may change, and what helps.
    struct Fault: Error, Sendable, Hashable {
        var words: String
        var remedy: String
    }

    /// The real path of a directory that is there, so that one directory has one name, however it was called.
    static func real(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The directories in which everything lies that locationd believes.
    static func all(in state: String) -> [String] {
        [state] + ["apps", "containers", "output", "pushes"].map { state + "/" + $0 }
    }

    /// The first fault of a state directory; one that is not there yet has none.
    static func fault(in state: String) -> Fault? {
        for path in Self.all(in: state) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { continue }
            if let fault = Self.fault(of: path, owner: status.st_uid, mode: status.st_mode, user: geteuid()) {
                return fault
            }
        }
        return nil
    }

    /// The fault of a directory, by what the file system says of it.
    ///
    /// Readers are no fault: each file in it is its owner's alone. An access list (acl(5)) shows in the mode as the group's.
    static func fault(of path: String, owner: uid_t, mode: mode_t, user: uid_t) -> Fault? {
        let another = "name a directory of locationd's own with --state"
        guard owner == user || owner == 0 else {
            return Fault(
                words: "\(path) belongs to the user \(owner), who can put other keys and apps there",
                remedy: "\(another); or, if all in it is yours, chown -R \(user) \(path)"
            )
        }
        guard mode & 0o022 != 0 else { return nil }
        let words =
            "\(path) may be written by others (mode \(String(mode & 0o7777, radix: 8))), who can put other keys and apps there"
        // A directory that is meant for everybody, such as /tmp, is not taken from them.
        guard owner == user, mode & S_ISVTX == 0 else { return Fault(words: words, remedy: another) }
        return Fault(words: words, remedy: "if all in it is yours, chmod go-w \(path); else \(another)")
    }
}
