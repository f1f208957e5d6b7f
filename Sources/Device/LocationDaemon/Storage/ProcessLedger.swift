internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine
internal import WhereaboutsNetworkSupport

/// The running processes of apps, on disk from their start: a locationd that was killed finds them again, and thaws
/// those it had frozen (ADR 0023).
struct ProcessLedger {
    /// One app's process.
    struct Record: Codable, Hashable {
        var bundle: String
        var process: ProcessIdentity
        /// The script that it executes; nil: it is not a script, so the kernel shows its own file.
        var script: FileIdentity?
        /// The directory of its cgroup; nil: there is none.
        var cgroup: String?
        /// Whether a person looked at it last.
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
