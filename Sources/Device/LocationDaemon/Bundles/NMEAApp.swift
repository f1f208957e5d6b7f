internal import Foundation
internal import WhereaboutsVocabulary

/// The bundle of the app that stands for all readers of NMEA 0183.
enum NMEAApp {
    /// Whether a bundle has the right files.
    static func isComplete(at path: String) -> Bool {
        self.files.allSatisfy { file in
            FileManager.default.contents(atPath: "\(path)/\(file.name)").map { Array($0) } == Array(file.text.utf8)
        }
    }

    /// Writes the bundle into a new folder.
    ///
    /// - Returns: the path of the bundle.
    static func write(in folder: String) throws(DaemonError) -> String {
        let app = folder + "/NMEA.app"
        do {
            try FileManager.default.createDirectory(
                atPath: app,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for file in self.files {
                try Data(file.text.utf8).write(to: URL(fileURLWithPath: "\(app)/\(file.name)"))
                try FileManager.default.setAttributes(
                    [.posixPermissions: file.mode],
                    ofItemAtPath: "\(app)/\(file.name)"
                )
            }
        } catch {
            throw DaemonError("cannot write \(app): \(error.localizedDescription)")
        }
        return app
    }

    private static let files: [(name: String, text: String, mode: Int)] = [
        (
            "Info.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(NMEAReaders.bundle)</string>
            <key>CFBundleExecutable</key><string>reads-nmea</string>
            <key>CFBundleName</key><string>Programs that read NMEA 0183</string>
            <key>NSLocationWhenInUseUsageDescription</key><string>Programs that connect to the socket of \
            --nmea-socket, such as GeoClue, receive where this device is, and may tell it to others.</string>
            </dict></plist>

            """,
            0o600
        ),
        (
            "reads-nmea",
            """
            #!/bin/sh
            echo "these are the programs that connect to the socket of locationd --nmea-socket" >&2
            exit 1

            """,
            0o755
        ),
    ]
}
