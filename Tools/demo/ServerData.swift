internal import Foundation
internal import GRDB
internal import Rig

/// The data that the sharing server has stored, read from its database while it runs.
struct ServerData {
    /// The signed request that was answered.
    private let request: Data
    /// The answer to it, sealed and signed.
    private let answer: Data
    /// The bytes of all files of the database.
    private let files: Data

    init(database path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let row = try DatabaseQueue(path: path, configuration: configuration).read { database in
            try Row.fetchOne(database, sql: "SELECT signed, answer FROM request WHERE answer IS NOT NULL")
        }
        guard let row else { throw RigError("the sharing server", "its database contains no answer") }
        (self.request, self.answer) = (row["signed"], row["answer"])
        // The newest rows are in the write-ahead log.
        self.files = try ["", "-wal"].reduce(into: Data()) { $0 += try Data(contentsOf: URL(filePath: path + $1)) }
        guard self.files.firstRange(of: self.answer.prefix(64)) != nil else {
            throw RigError("the sharing server", "its answer is not in the files of its database")
        }
    }

    /// Describes what the server has.
    ///
    /// - Parameter answered: the line with the position that the requester got.
    /// - Returns: the description, with line breaks.
    /// - Throws: ``RigError`` if the server has the position.
    func words(about answered: String) throws -> String {
        guard let search = PositionSearch(in: answered) else { throw RigError(answered, "it contains no position") }
        guard !search.isFound(in: self.files) else {
            throw RigError("the sharing server", "its database contains the position")
        }
        let middle = self.answer.dropFirst(self.answer.count / 2).prefix(12).map { String(format: "%02x", $0) }
        return """
            an answer of \(self.answer.count) bytes, sealed for Bob: ...\(middle.joined())...
            a request of \(self.request.count) bytes, in clear: who asks whom, and when
            no position in the \(self.files.count / 1000) kB of its database
            """
    }
}
