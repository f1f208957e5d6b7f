internal import CLinux
internal import Foundation
internal import LocationEngine

/// Keeps the engine's snapshot in a file, with the clocks it was taken by.
struct SnapshotStore {
    private struct Record: Codable {
        var bootID: String
        var bootTimeNanoseconds: Int64
        var wallMicroseconds: Int64
        var engine: EngineSnapshot
    }

    let path: String

    func save(_ snapshot: EngineSnapshot, now: Now) throws(DaemonError) {
        let record = Record(
            bootID: Self.bootID,
            bootTimeNanoseconds: Clocks.nanoseconds(now.monotonic),
            wallMicroseconds: now.wall.microseconds,
            engine: snapshot
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(record) else {
            throw DaemonError("cannot encode the state for \(self.path)")
        }
        try DurableFile.write(data, to: self.path, durability: .power)
    }

    /// Reads the snapshot back.
    ///
    /// - Returns: the snapshot and the time since; nil when there is none yet.
    func load(now: Now) throws(DaemonError) -> (snapshot: EngineSnapshot, elapsed: Duration)? {
        guard let data = FileManager.default.contents(atPath: self.path) else { return nil }
        guard let record = try? JSONDecoder().decode(Record.self, from: data) else {
            throw DaemonError(
                "the state in \(self.path) cannot be read; move the file away to begin anew: "
                    + "apps stay installed, people are asked again"
            )
        }
        guard record.engine.version == EngineSnapshot.currentVersion else {
            throw DaemonError(
                "the state in \(self.path) was written by another version (\(record.engine.version), this one reads "
                    + "\(EngineSnapshot.currentVersion)); run the locationd that wrote it"
            )
        }
        if record.bootID == Self.bootID {
            let nanoseconds = Clocks.nanoseconds(now.monotonic) - record.bootTimeNanoseconds
            return (record.engine, .nanoseconds(max(nanoseconds, 0)))
        }
        // Another boot: the wall clock tells the gap, if it went forward (ADR 0003).
        let gap = WallTime(microseconds: record.wallMicroseconds).duration(to: now.wall)
        return (record.engine, max(gap, .zero))
    }

    private static let bootID: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
