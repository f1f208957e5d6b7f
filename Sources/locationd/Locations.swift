internal import Foundation
internal import LocationWire

/// Where locationd keeps things unless it is told otherwise.
enum Locations {
    /// `/var/lib/locationd` for root; else in the user's own state directory.
    static var state: String {
        if geteuid() == 0 { return "/var/lib/locationd" }
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_STATE_HOME"] ?? NSHomeDirectory() + "/.local/state"
        return base + "/locationd"
    }

    /// The directory of the sockets.
    static func runtime(_ option: String?) -> String { self.absolute(option ?? SocketPaths.directory) }

    /// The path as it holds in every working directory: apps are started in others.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// `location-launch` beside this executable.
    static var launcher: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/locationd"
        return (own as NSString).deletingLastPathComponent + "/location-launch"
    }
}
