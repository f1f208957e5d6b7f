internal import Foundation
internal import Glibc

/// A cgroup (v1) that freezes processes: they do not end, whatever signal they receive, until the value is released.
final class Freezer {
    private let directory: String

    /// Whether this machine has such cgroups, and lets this process create them.
    static let isAvailable = (try? Freezer()) != nil

    init() throws {
        self.directory = "/sys/fs/cgroup/freezer/locationd-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: false)
    }

    deinit {
        try? self.write("THAWED", to: "freezer.state")
        // A cgroup can be removed once its processes have ended.
        _ = Waiting.until(within: 20) { unsafe rmdir(self.directory) == 0 }
    }

    /// Freezes a process; a signal that kills it takes effect once the value is released.
    func freeze(_ pid: Int32) throws {
        try self.write("\(pid)", to: "cgroup.procs")
        try self.write("FROZEN", to: "freezer.state")
        _ = Waiting.until(within: 20) {
            (try? String(contentsOfFile: self.directory + "/freezer.state", encoding: .utf8)) == "FROZEN\n"
        }
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.directory + "/" + name))
    }
}
