internal import Foundation
internal import Rig
internal import Testing

/// The programs in `Tests/Viewer` that control browsers.
enum BrowserScripts {
    static let folder = URL(filePath: #filePath).appending(path: "../../Viewer").standardized
        .path(percentEncoded: false)

    /// Whether the programs that they need are installed.
    static var areThere: Bool {
        ["node", "chromium", "chromedriver", "firefox-esr", "python3"].allSatisfy { Binaries.system($0) != nil }
    }

    /// Runs a Python script and waits until it ends.
    ///
    /// - Returns: its output.
    static func run(_ script: String, _ arguments: [String], log: String) throws -> String {
        try self.run(program: "python3", ["-B", "\(self.folder)/\(script)"] + arguments, log: log)
    }

    /// Runs a program and waits until it ends.
    ///
    /// - Returns: its output.
    static func run(program: String, _ arguments: [String], log: String) throws -> String {
        let path = try #require(Binaries.system(program))
        let ended = try Child(program, path, arguments, log: log).waitForEnd(within: 150)
        let errors = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(ended.status == 0, "\(ended.output)\n\(errors)")
        return ended.output
    }
}
