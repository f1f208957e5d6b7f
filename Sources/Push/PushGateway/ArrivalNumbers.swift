internal import GRDB
internal import Synchronization

/// Numbers stored pushes in the order of their arrival; row numbers do not show it, because a push reuses the row that it replaces.
///
/// The numbers keep increasing when the file is opened again: each opening starts a new era, counted in the file.
final class ArrivalNumbers: Sendable {
    /// The bits of a number within an era: enough for 300 pushes a second for a century.
    private static let eraBits = 40

    private let last: Atomic<Int64>

    convenience init(_ database: Database) throws {
        try database.execute(sql: "UPDATE arrival_era SET era = era + 1")
        let era = try Int64.fetchOne(database, sql: "SELECT era FROM arrival_era") ?? 1
        self.init(era: era)
    }

    /// Begins an era, which must be later than all before.
    init(era: Int64) {
        self.last = Atomic(era << Self.eraBits)
    }

    /// Returns a number greater than all before.
    func next() -> Int64 { self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
