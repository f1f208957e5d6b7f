package import Foundation

/// Recorded logs of real receivers, which are not part of this repository.
package enum FieldLogs {
    /// The folder to search: `WHEREABOUTS_CORPUS`, or `shared/corpus` beside the clone.
    private static var place: URL {
        if let path = ProcessInfo.processInfo.environment["WHEREABOUTS_CORPUS"] { return URL(filePath: path) }
        var clone = URL(filePath: #filePath)
        for _ in 0..<3 { clone.deleteLastPathComponent() }
        return clone.deletingLastPathComponent().appending(path: "shared/corpus")
    }

    /// The folder with the logs; nil: there is none.
    ///
    /// The first access prints the folder to standard error.
    package static let folder: URL? = {
        let place = Self.place
        guard FileManager.default.fileExists(atPath: place.appending(path: "gpsd").path) else { return nil }
        FileHandle.standardError.write(Data("receivers' logs: those of \(place.path)\n".utf8))
        return place
    }()

    /// The message that says that the logs are missing, with the remedy.
    package static var absence: String {
        "no receivers' logs in \(self.place.path); set WHEREABOUTS_CORPUS to a folder "
            + "that has gpsd/NAME.log, gpsd/NAME.log.chk and gpx/NAME.gpx"
    }
}
