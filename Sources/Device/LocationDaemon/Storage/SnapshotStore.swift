internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Stores the engine's snapshot in a sealed file, with the wall clock and the monotonic clock.
///
/// Snapshots are numbered, and another sealed file holds the number of the last one. So replacing the snapshot by an
/// older one, for example to undo a refusal, is noticed. Replacing both files is not noticed (ADR 0039).
struct SnapshotStore {
    private struct Record: Codable {
        var number: UInt64
        var bootID: String
        var bootTimeNanoseconds: Int64
        var wallMicroseconds: Int64
        var engine: EngineSnapshot
    }

    /// The only field that every version has.
    private struct Versioned: Decodable {
        struct Engine: Decodable { let version: Int }
        let engine: Engine
    }

    /// The purpose of the seal, so that no other sealed file can replace this one.
    private static let purpose = "engine"
    private static let numberPurpose = "engine's number"

    let path: String
    /// The sealed file with the number of the last snapshot.
    let numberPath: String
    let seal: StateSeal
    private var numbers = SnapshotNumbers()
    private let file: ReservedFile
    private let numberFile: ReservedFile
    /// The apps whose conditions, sessions and activities the last snapshot lacks, the largest first.
    private(set) var appsLeftOut: [String] = []

    /// The bytes that are reserved, so that decisions can be saved on a full disk.
    ///
    /// Source: the decisions about as many apps as a device may have, with their names, are 300 kB; the rest is for conditions.
    static let reserveBytes = 512 << 10
    /// The reserved bytes of the file with the number: one block, which is more than a sealed number.
    private static let numberReserveBytes = 4096

    /// The files in a state directory that each start reads, and that can be opened only with their key.
    static func sealedPaths(in directory: String) -> (snapshot: String, number: String) {
        (directory + "/engine.sealed", directory + "/engine.number")
    }

    init(directory: String, seal: StateSeal) {
        (self.path, self.numberPath) = Self.sealedPaths(in: directory)
        self.seal = seal
        self.file = ReservedFile(self.path, reserving: Self.reserveBytes)
        self.numberFile = ReservedFile(self.numberPath, reserving: Self.numberReserveBytes)
    }

    /// Saves a snapshot.
    ///
    /// On a full disk, a snapshot larger than the reserve is saved without the conditions, sessions and activities of the largest apps.
    /// So no app can make a decision unsavable.
    ///
    /// - Throws: ``DaemonError`` when nothing, or only such a part, was saved; ``appsLeftOut`` is empty in the first case.
    mutating func save(_ snapshot: EngineSnapshot, now: Now) throws(DaemonError) {
        self.appsLeftOut = []
        var record = Record(
            number: self.numbers.next,
            bootID: Self.bootID,
            bootTimeNanoseconds: now.monotonic.sinceStart.nanoseconds,
            wallMicroseconds: now.wall.microseconds,
            engine: snapshot
        )
        let sealed = try self.sealed(record)
        do throws(DurableFileError) {
            try self.file.replace(Array(sealed), .power)
        } catch {
            guard [ENOSPC, EDQUOT].contains(error.errno), sealed.count > self.file.reservedBytesMax else {
                throw DaemonError("\(error)")
            }
            let left = record.engine.shorten(by: sealed.count - self.file.reservedBytesMax)
            try Self.write(self.sealed(record), to: self.file, .power)
            self.appsLeftOut = left
        }
        switch self.numbers.kept(record.number) {
        case .writeFirstNumber: try self.saveNumber(.power)
        case .writeNumber: try self.saveNumber(.process)
        }
        guard let largest = self.appsLeftOut.first else { return }
        throw DaemonError(
            "the disk is full: decisions are saved, but not the conditions, sessions and activities of "
                + "\(self.appsLeftOut.count) apps; \(largest) has the most"
        )
    }

    private func sealed(_ record: Record) throws(DaemonError) -> Data {
        guard let data = try? JSONEncoder().encode(record) else {
            throw DaemonError("cannot encode the state for \(self.path)")
        }
        return try self.seal.seal(data, for: Self.purpose)
    }

    private func saveNumber(_ durability: DurableFile.Durability) throws(DaemonError) {
        let bytes = unsafe withUnsafeBytes(of: self.numbers.current.littleEndian) { unsafe Data($0) }
        try Self.write(self.seal.seal(bytes, for: Self.numberPurpose), to: self.numberFile, durability)
    }

    private static func read(_ path: String) throws(DaemonError) -> Data? {
        try StateFile.read(path).map { Data(ReservedFile.content(of: Array($0))) }
    }

    private static func write(
        _ data: Data,
        to file: ReservedFile,
        _ durability: DurableFile.Durability
    )
        throws(DaemonError)
    {
        do throws(DurableFileError) {
            try file.replace(Array(data), durability)
        } catch {
            throw DaemonError("\(error)")
        }
    }

    /// How to start over; both files must be moved, because one without the other is refused.
    private var remedy: String {
        "move both \(self.path) and \(self.numberPath) away to start over: apps stay installed, people are asked again"
    }

    /// The number of the last snapshot; 0 when there is none.
    private func lastNumber() throws(DaemonError) -> UInt64 {
        guard let sealed = try Self.read(self.numberPath) else { return 0 }
        return try self.seal.open(sealed, for: Self.numberPurpose, at: self.numberPath, remedy: self.remedy).reversed()
            .reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the snapshot back.
    ///
    /// - Returns: the snapshot and the time since it was saved; nil when there is none yet.
    mutating func load(now: Now) throws(DaemonError) -> (snapshot: EngineSnapshot, elapsed: Duration)? {
        self.file.fill()
        self.numberFile.fill()
        let last = try self.lastNumber()
        let record = try Self.read(self.path).map { sealed throws(DaemonError) in
            try self.decode(self.seal.open(sealed, for: Self.purpose, at: self.path, remedy: self.remedy))
        }
        switch self.numbers.found(snapshot: record?.number, last: last) {
        case .begin, .restore: break
        case .writeFirstNumber: try self.saveNumber(.power)
        case .refuseOlder:
            throw DaemonError(
                "\(self.path) is older than what this device saved last, or \(self.numberPath) is missing; put both back "
                    + "from the same copy, or move both away to start over: apps stay installed, people are asked again"
            )
        case .refuseMissing:
            throw DaemonError(
                "\(self.path) is missing although locationd saved it earlier; restore it, or remove \(self.numberPath), too, to begin "
                    + "again: apps stay installed, people are asked again"
            )
        }
        guard let record else { return nil }
        if record.bootID == Self.bootID {
            let nanoseconds = now.monotonic.sinceStart.nanoseconds - record.bootTimeNanoseconds
            return (record.engine, .nanoseconds(max(nanoseconds, 0)))
        }
        // After a reboot, the wall clock shows the elapsed time, unless it was set back (ADR 0003).
        let gap = WallTime(microseconds: record.wallMicroseconds).duration(to: now.wall)
        return (record.engine, max(gap, .zero))
    }

    private func decode(_ data: Data) throws(DaemonError) -> Record {
        // Check the version first, because another version may have other fields.
        if let version = try? JSONReader().decode(Versioned.self, from: data).engine.version,
            version != EngineSnapshot.currentVersion
        {
            throw DaemonError(
                "\(self.path) has version \(version), and this locationd reads version \(EngineSnapshot.currentVersion) only. "
                    + "Run the locationd that wrote it, or \(self.remedy)"
            )
        }
        guard let record = try? JSONReader().decode(Record.self, from: data) else {
            throw DaemonError("the state in \(self.path) cannot be read; restore it from a copy, or \(self.remedy)")
        }
        return record
    }

    /// The identifier of this boot; process numbers and monotonic times of another boot mean nothing.
    static let bootID: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
