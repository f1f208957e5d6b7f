internal import GRDB
internal import Synchronization

/// The numbers of stored pushes, in the order of their arrival, because a push reuses the row of the one it replaces.
///
/// The numbers keep increasing when the file is opened again: each opening has its own era, counted in the file.
final class ArrivalNumbers: Sendable {
    /// The numbers of an era: a century of 300 a second.
    private static let eraBits = 40

    private let last: Atomic<Int64>

    init(_ database: Database) throws {
        try database.execute(sql: "UPDATE arrival_era SET era = era + 1")
        let era = try Int64.fetchOne(database, sql: "SELECT era FROM arrival_era") ?? 1
        self.last = Atomic(era << Self.eraBits)
    }

    /// Returns a number greater than all before.
    func next() -> Int64 { self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
