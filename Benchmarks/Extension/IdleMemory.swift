internal import Foundation
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// The memory of an idle locationd.
extension ExtensionBenchmark {
    /// Resident and proportional memory of an idle locationd with many apps, compared with one without apps.
    static func memory(_ installation: Installation) throws -> [Figure] {
        let base = "\(installation.workspace.directory)/idle"
        let daemon = try Child(
            "an idle locationd",
            installation.binaries.path("locationd"),
            ["--state", "\(base)/state", "--runtime", "\(base)/run", "--gpsd", "127.0.0.1:9", "--log-level", "error"],
            log: "/dev/null"
        )
        defer { daemon.terminate() }
        _ = try daemon.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        let empty = try self.kilobytes(of: daemon.pid)
        for number in 0..<self.apps {
            let path = try self.bundle(number, in: base)
            _ = try Probe.ask("\(base)/run", .with { $0.install.path = path })
        }
        let full = try self.kilobytes(of: daemon.pid)
        return ["Rss", "Pss"].map { kind in
            let value = (full[kind] ?? 0) / 1024
            let none = (empty[kind] ?? 0) / 1024
            return Figure(
                name: "idle-\(kind.lowercased())-\(self.apps)-apps",
                value: value,
                unit: "MiB",
                ratio: value / none,
                reference: "\(String(format: "%.1f", none)) MiB without apps"
            )
        }
    }

    private static func bundle(_ number: Int, in base: String) throws -> String {
        let path = "\(base)/App\(number).app"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let info = [
            "CFBundleIdentifier": "com.example.app\(number)", "CFBundleExecutable": "App",
            "NSLocationWhenInUseUsageDescription": "to measure",
        ]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        _ = FileManager.default.createFile(
            atPath: path + "/App",
            contents: Data("#!/bin/sh\n".utf8),
            attributes: [.posixPermissions: 0o755]
        )
        return path
    }

    private static func kilobytes(of pid: Int32) throws -> [String: Double] {
        let text = try String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
        return Dictionary(
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 3, words[2] == "kB", let value = Double(words[1]) else { return nil }
                return (String(words[0].dropLast()), value)
            }
        ) { first, _ in first }
    }
}
