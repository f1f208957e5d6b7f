internal import FieldLogs
internal import Foundation
internal import Testing

/// gpsd's regression logs: a receiver's bytes, and gpsd's answers.
///
/// They are among the ``FieldLogs``.
enum Corpus {
    static let isPresent = Self.directory != nil
    static let absence: Comment = "skipped: \(FieldLogs.absence)"

    static let names = [
        "bt451", "haicom-305N", "nl2008u", "nmea-fuzzy-cases", "quectel-eg25-g", "ublox-lea-4h",
    ]

    private static var directory: URL? { FieldLogs.folder?.appending(path: "gpsd") }

    /// The bytes the receiver sent.
    static func log(_ name: String) throws -> Data {
        try Data(contentsOf: #require(self.directory).appending(path: "\(name).log"))
    }

    /// The answers of gpsd: sentences and reports, line by line.
    static func answers(_ name: String) throws -> Data {
        try Data(contentsOf: #require(self.directory).appending(path: "\(name).log.chk"))
    }
}
