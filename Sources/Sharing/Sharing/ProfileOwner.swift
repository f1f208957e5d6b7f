internal import WhereaboutsVocabulary

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
    /// - Throws: ``SharingError`` with the command that works.
    static func check(_ path: String) throws(SharingError) {
        var status = stat()
        let user = geteuid()
        if unsafe stat(path, &status) == 0, status.st_uid != user { throw self.error(path, of: status) }
        guard user == 0 else { return }
        var way = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/").dropLast() {
            way += "/\(name)"
            if unsafe lstat(way, &status) == 0, status.st_uid != user { throw self.error(path, of: status) }
        }
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
