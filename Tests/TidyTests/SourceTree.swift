internal import Foundation

/// The repository's files, as the tidy tests read them.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A file with its path from the root.
    struct File: Sendable {
        let path: String
        let text: String

        var name: String { String(self.path.split(separator: "/").last ?? "") }
        var lines: [Substring] { self.text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    /// The files below some folders whose names have an ending; generated code is left out.
    static func files(in folders: [String], ending: String) throws -> [File] {
        try folders.flatMap { folder in
            let base = self.root.appending(path: folder)
            let names = try FileManager.default.subpathsOfDirectory(atPath: base.path(percentEncoded: false))
            return try names.filter { $0.hasSuffix(ending) && !$0.hasSuffix(".pb.swift") && !$0.hasPrefix(".build/") }
                .sorted().map { name in
                    File(
                        path: folder == "." ? name : "\(folder)/\(name)",
                        text: try String(contentsOf: base.appending(path: name), encoding: .utf8)
                    )
                }
        }
    }
}
