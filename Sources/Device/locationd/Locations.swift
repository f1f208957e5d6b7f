internal import Foundation
internal import WhereaboutsLocationWire

/// The default directories of locationd.
enum Locations {
    /// `/var/lib/locationd` for root; otherwise a directory in the user's own state directory.
    static var state: String {
        if geteuid() == 0 { return "/var/lib/locationd" }
        let named = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? NSHomeDirectory() + "/.local/state") + "/locationd"
    }

    /// The directory of the sockets.
    static func runtime(_ option: String?) -> String { self.absolute(option ?? SocketPaths.own) }

    /// The absolute path, because apps run in other working directories.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The path of `location-launch`: beside this executable, as in a build, or in `libexec` beside `bin`, as in a
    /// package.
    static var launcher: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/locationd"
        let directory = URL(fileURLWithPath: own).deletingLastPathComponent()
        let beside = directory.appending(path: "location-launch").path
        let installed = directory.deletingLastPathComponent().appending(path: "libexec/whereabouts/location-launch")
            .path
        return FileManager.default.isExecutableFile(atPath: beside) ? beside : installed
    }
}
