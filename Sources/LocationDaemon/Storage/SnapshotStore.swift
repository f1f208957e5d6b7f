internal import CLinux
internal import DurableStorage
internal import Foundation
internal import LocationEngine
internal import Vocabulary

/// Keeps the engine's snapshot in a sealed file, with the clocks it was taken by.
struct SnapshotStore {
    private struct Record: Codable {
        var bootID: String
        var bootTimeNanoseconds: Int64
        var wallMicroseconds: Int64
        var engine: EngineSnapshot
    }

    /// What the file is sealed for.
    private static let purpose = "engine"

    let path: String
    /// Where locationd kept the snapshot in the clear before it sealed it; read once, then removed.
    let plainPath: String
    let seal: StateSeal

    init(directory: String, seal: StateSeal) {
        self.path = directory + "/engine.sealed"
        self.plainPath = directory + "/engine.json"
        self.seal = seal
    }

    func save(_ snapshot: EngineSnapshot, now: Now) throws(DaemonError) {
        try self.save(
            Record(
                bootID: Self.bootID,
                bootTimeNanoseconds: Clocks.nanoseconds(now.monotonic),
                wallMicroseconds: now.wall.microseconds,
                engine: snapshot
            )
        )
    }

    private func save(_ record: Record) throws(DaemonError) {
        guard let data = try? JSONEncoder().encode(record) else {
            throw DaemonError("cannot encode the state for \(self.path)")
        }
        try StateFile.write(self.seal.seal(data, for: Self.purpose), to: self.path, durability: .power)
    }

    /// Reads the snapshot back; what an earlier version left in the clear is sealed and removed.
    ///
    /// - Returns: the snapshot and the time since; nil when there is none yet.
    func load(now: Now) throws(DaemonError) -> (snapshot: EngineSnapshot, elapsed: Duration)? {
        let record: Record
        if let sealed = try StateFile.read(self.path) {
            record = try self.decode(self.seal.open(sealed, for: Self.purpose, at: self.path), of: self.path)
        } else if let plain = try StateFile.read(self.plainPath) {
            record = try self.decode(plain, of: self.plainPath)
            try self.save(record)
        } else {
            return nil
        }
        // Also when a crash came between the two steps of an earlier start.
        try? FileManager.default.removeItem(atPath: self.plainPath)
        if record.bootID == Self.bootID {
            let nanoseconds = Clocks.nanoseconds(now.monotonic) - record.bootTimeNanoseconds
            return (record.engine, .nanoseconds(max(nanoseconds, 0)))
        }
        // Another boot: the wall clock tells the gap, if it went forward (ADR 0003).
        let gap = WallTime(microseconds: record.wallMicroseconds).duration(to: now.wall)
        return (record.engine, max(gap, .zero))
    }

    private func decode(_ data: Data, of path: String) throws(DaemonError) -> Record {
        guard let record = try? JSONDecoder().decode(Record.self, from: data) else {
            throw DaemonError(
                "the state in \(path) cannot be read; move the file away to begin anew: apps stay installed, people "
                    + "are asked again"
            )
        }
        guard (1...EngineSnapshot.currentVersion).contains(record.engine.version) else {
            throw DaemonError(
                "the state in \(path) was written by a newer version (\(record.engine.version), this one reads up to "
                    + "\(EngineSnapshot.currentVersion)); run the locationd that wrote it"
            )
        }
        return record
    }

    /// Which boot this is: process numbers and the monotonic clock mean nothing in another.
    static let bootID: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
