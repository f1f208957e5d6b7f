internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine
internal import WhereaboutsNetworkSupport

/// Stores the running processes of apps, so that locationd finds them again after it was killed, and resumes the frozen
/// processes (ADR 0023).
struct ProcessLedger {
    /// One app's process.
    struct Record: Codable, Hashable {
        var bundle: String
        var process: ProcessIdentity
        /// The script that the process executes; nil: its executable is not a script, and the kernel shows it.
        var script: FileIdentity?
        /// The directory of the process's cgroup; nil: it has none.
        var cgroup: String?
        /// Whether the app was in the foreground.
        var isForeground: Bool

        var phase: Lifecycle.Phase { self.isForeground ? .foreground : .background }
    }

    private struct File: Codable {
        var bootID: String
        var processes: [Record]
    }

    let path: String
    private(set) var saved: [Record] = []

    init(path: String) {
        self.path = path
    }

    /// Saves the records if they changed; they survive a crash of locationd, but need not survive a reboot.
    mutating func save(_ records: [Record]) throws(DaemonError) {
        guard records != self.saved else { return }
        guard let data = try? JSONEncoder().encode(File(bootID: SnapshotStore.bootID, processes: records)) else {
            throw DaemonError("cannot encode the processes for \(self.path)")
        }
        try StateFile.write(data, to: self.path, durability: .process)
        self.saved = records
    }

    /// The processes that ran when the last locationd ended; empty after a reboot, or when the file cannot be read.
    func load() -> [Record] {
        guard let data = FileManager.default.contents(atPath: self.path),
            let file = try? JSONReader().decode(File.self, from: data), file.bootID == SnapshotStore.bootID
        else { return [] }
        return file.processes
    }
}
