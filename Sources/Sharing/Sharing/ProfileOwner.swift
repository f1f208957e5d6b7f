internal import Foundation
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
        // Resolve the path as the kernel does, and check each file on the way: links, and the directories that they lead to.
        var names = whole.split(separator: "/").map(String.init)[...]
        var (way, links) = ("", 0)
        while let name = names.popFirst() {
            if name == "." { continue }
            if name == ".." {
                way = way.split(separator: "/").dropLast().map { "/\($0)" }.joined()
                continue
            }
            guard unsafe lstat("\(way)/\(name)", &status) == 0 else { return }
            if status.st_uid != user { throw self.error(path, of: status) }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                way += "/\(name)"
                continue
            }
            links += 1
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(way)/\(name)")
            // The kernel follows 40 links, too (path_resolution(7)).
            guard let target, links <= 40 else {
                throw SharingError(.badProfile, "\(path): too many symbolic links; name the directory itself")
            }
            if target.hasPrefix("/") { way = "" }
            names = target.split(separator: "/").map(String.init) + names
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
