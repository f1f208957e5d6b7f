internal import WhereaboutsVocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The owner of a profile's directory.
///
/// If root used another user's profile, links in that profile could lead root to any file.
enum ProfileOwner {
    /// Refuses a profile of another user, and for root also one on whose path another user could replace something.
    ///
    /// - Parameters:
    ///   - path: the profile, which may not exist yet.
    ///   - directory: the directory from which a relative path leads.
    /// - Throws: ``SharingError`` with the command that works.
    static func check(
        _ path: String,
        from directory: String = FileManager.default.currentDirectoryPath
    ) throws(SharingError) {
        var status = stat()
        let user = geteuid()
        let whole = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        if unsafe stat(whole, &status) == 0, status.st_uid != user { throw self.error(path, of: status) }
        guard user == 0 else { return }
        // Check the links on the path, and the directories that they lead to.
        for whole in [whole, self.resolved(whole)] {
            var way = ""
            for name in whole.split(separator: "/") {
                way += "/\(name)"
                if unsafe lstat(way, &status) == 0, status.st_uid != user { throw self.error(path, of: status) }
            }
        }
    }

    /// Returns the existing part of a path without symbolic links.
    private static func resolved(_ path: String) -> String {
        var names = path.split(separator: "/")
        while !names.isEmpty {
            if let real = unsafe realpath("/" + names.joined(separator: "/"), nil) {
                defer { unsafe free(real) }
                return unsafe String(cString: real)
            }
            names.removeLast()
        }
        return "/"
    }

    private static func error(_ path: String, of status: stat) -> SharingError {
        let (user, group) = (status.st_uid, status.st_gid)
        return SharingError(
            .badProfile,
            "\(path) belongs to the user \(user), or lies in a directory of that user, and you are the user \(geteuid()): that user "
                + "could have put symbolic links there. Run the command as that user: "
                + "setpriv --reuid=\(user) --regid=\(group) --clear-groups whereabouts … --profile \(ShellWord.path(path))"
        )
    }
}
