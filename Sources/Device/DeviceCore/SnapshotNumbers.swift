/// Numbers snapshots, so that replacing the last one by an older one is detected (ADR 0039).
///
/// The last number is in a separate file, which is written after the snapshot: a newer snapshot than this number is accepted. If
/// the number were written first, a crash between the two writes would make the device refuse its last snapshot.
public struct SnapshotNumbers: Sendable, Hashable {
    /// The number of the last stored or found snapshot; 0 before the first.
    public private(set) var current: UInt64 = 0

    /// Starts before the first snapshot.
    public init() {}

    /// The number for the next snapshot.
    public var next: UInt64 { self.current &+ 1 }

    /// Actions returned by ``kept(_:)``.
    public enum OnKept: Sendable, Hashable {
        /// Write the number file first, and sync it: otherwise a number file that is lost later would not be missed.
        case writeFirstNumber
        case writeNumber
    }

    /// Records that a snapshot of this number is on disk.
    public mutating func kept(_ number: UInt64) -> OnKept {
        defer { self.current = number }
        return self.current == 0 ? .writeFirstNumber : .writeNumber
    }

    /// Actions returned by ``found(snapshot:last:)``.
    public enum OnFound: Sendable, Hashable {
        /// Start without a state: none was ever stored.
        case begin
        case restore
        /// Write the number file, then start from the snapshot: a crash happened between the first snapshot and its
        /// number.
        case writeFirstNumber
        /// Do not start: the snapshot is an older one, or its number is missing.
        case refuseOlder
        /// Do not start: a snapshot was stored, but is missing.
        case refuseMissing
    }

    /// Records what is on disk at the start.
    ///
    /// - Parameters:
    ///   - snapshot: the number in the snapshot; nil when there is none.
    ///   - last: the number in the number file; 0 when there is none.
    /// - Returns: what to do.
    public mutating func found(snapshot: UInt64?, last: UInt64) -> OnFound {
        guard let snapshot else { return last == 0 ? .begin : .refuseMissing }
        guard snapshot >= last, last > 0 || snapshot == 1 else { return .refuseOlder }
        self.current = snapshot
        return last == 0 ? .writeFirstNumber : .restore
    }
}
