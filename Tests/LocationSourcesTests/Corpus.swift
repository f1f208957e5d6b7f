internal import Foundation
internal import Testing

/// gpsd's own regression logs: what receivers sent, and what gpsd answered.
///
/// They are not part of this repository (the environment variable says where they are).
enum Corpus {
    static let isPresent = Self.directory != nil
    static let absence: Comment =
        "skipped: no receiver logs; set WHEREABOUTS_CORPUS to a folder that has gpsd/NAME.log and gpsd/NAME.log.chk"

    static let names = [
        "bt451", "haicom-305N", "nl2008u", "nmea-fuzzy-cases", "quectel-eg25-g", "ublox-lea-4h",
    ]

    private static var directory: URL? {
        let path = ProcessInfo.processInfo.environment["WHEREABOUTS_CORPUS"]
        let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let directory =
            path.map { URL(filePath: $0) }
            ?? packageRoot.deletingLastPathComponent().appending(path: "shared/corpus")
        let logs = directory.appending(path: "gpsd")
        return FileManager.default.fileExists(atPath: logs.path) ? logs : nil
    }

    /// The bytes the receiver sent.
    static func log(_ name: String) throws -> Data {
        try Data(contentsOf: #require(self.directory).appending(path: "\(name).log"))
    }

    /// The answers of gpsd: sentences and reports, line by line.
    static func answers(_ name: String) throws -> Data {
        try Data(contentsOf: #require(self.directory).appending(path: "\(name).log.chk"))
    }
}
