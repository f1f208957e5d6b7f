/// Numbers snapshots, so that replacing the last one by an older one is detected (ADR 0039).
///
/// The last number lies in a file beside, written after its snapshot: behind it by some, a number says nothing against a snapshot; before it, it
/// would refuse a good one after a crash between the two.
public struct SnapshotNumbers: Sendable, Hashable {
    /// The number of the last stored or found snapshot; 0 before the first.
    public private(set) var current: UInt64 = 0

    /// Starts before the first snapshot.
    public init() {}

    /// The number for the next snapshot.
    public var next: UInt64 { self.current &+ 1 }

    /// Actions returned by ``kept(_:)``.
    public enum OnKept: Sendable, Hashable {
        /// Write the number file first, and sync it: without a first number, a missing one would go unnoticed.
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
    ///   - last: the number beside, 0 when there is none.
    /// - Returns: what follows.
    public mutating func found(snapshot: UInt64?, last: UInt64) -> OnFound {
        guard let snapshot else { return last == 0 ? .begin : .refuseMissing }
        guard snapshot >= last, last > 0 || snapshot == 1 else { return .refuseOlder }
        self.current = snapshot
        return last == 0 ? .writeFirstNumber : .restore
    }
}
