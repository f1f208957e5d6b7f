internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A track in a new file that only its owner can read; the file is complete GPX 1.1 after every point.
struct GPXTrackFile {
    private static let end = Data("    </trkseg>\n  </trk>\n</gpx>\n".utf8)

    private let path: String
    private let handle: FileHandle

    /// Creates the file with an empty track.
    ///
    /// - Throws: ``SharingError`` when the file exists, or cannot be created.
    init(creating path: String, name: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw SharingError(
                .badProfile,
                "\(path) cannot be made (\(reason)): give the name of a new file in one of your directories"
            )
        }
        self.path = path
        self.handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let begin = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="whereabouts \(Release.version)" xmlns="http://www.topografix.com/GPX/1/1">
              <trk>
                <name>\(Self.escaped(name))</name>
                <trkseg>

            """
        try self.write(Data(begin.utf8) + Self.end)
    }

    /// Overwrites the closing tags with a point, and writes the tags again after it.
    func append(_ fix: SharedFix) throws {
        let height = fix.altitude.map { "<ele>\($0)</ele>" } ?? ""
        let time = Date(timeIntervalSince1970: fix.time.timeIntervalSince1970).formatted(.iso8601)
        let place = String(format: "lat=\"%.7f\" lon=\"%.7f\"", fix.latitude, fix.longitude)
        let point = "      <trkpt \(place)>\(height)<time>\(time)</time></trkpt>\n"
        do {
            try self.handle.seek(toOffset: self.handle.seekToEnd() - UInt64(Self.end.count))
        } catch {
            throw self.error(error)
        }
        try self.write(Data(point.utf8) + Self.end)
    }

    private func write(_ bytes: Data) throws {
        do {
            try self.handle.write(contentsOf: bytes)
        } catch {
            throw self.error(error)
        }
    }

    private func error(_ error: any Error) -> SharingError {
        SharingError(.badProfile, "\(self.path) cannot be written (\(error.localizedDescription)); free space there")
    }

    private static func escaped(_ name: String) -> String {
        PlainText.of(name).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
