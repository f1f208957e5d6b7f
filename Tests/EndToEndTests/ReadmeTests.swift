internal import Foundation
internal import Rig
internal import Testing

/// Tests the commands in the README and in a tutorial.
@Suite(.timeLimit(.minutes(2))) struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The commands in the first code block after a text, one a line, without comments.
    private static func commands(of page: String, after words: String) throws -> [String] {
        let text = try String(contentsOf: self.root.appending(path: page), encoding: .utf8)
        let start = try #require(text.range(of: words)).upperBound
        let block = try #require(text[start...].firstMatch(of: /```sh\n(.*?)```/.dotMatchesNewlines())).output.1
        return block.replacing("\\\n", with: "").split(separator: "\n").map {
            String($0.replacing(/[ ]+# .*/, with: ""))
        }
    }

    /// The programs' default ports.
    private static let ports = ["2197", "5223", "8443"]

    /// Runs the commands of a page in a folder like the repository's after `make demo`.
    ///
    /// The servers use free ports, and a command is repeated for about as long as a person would.
    private static func script(_ commands: [String], ports: [UInt16]) -> String {
        let lines = commands.map { command in
            if let directory = command.firstMatch(of: /^whereabouts init (\w+)/)?.output.1 {
                let changes = zip(Self.ports, ports).map { "s/:\($0)/:\($1)/g" }.joined(separator: ";")
                return "\(command) && sed -i '\(changes)' \(directory)/whereabouts.toml \(directory)/me/server.json"
            }
            if command.hasSuffix("&") || command.hasPrefix("cd ") || command.contains("PATH=") { return command }
            return "until \(command)\ndo (( SECONDS < 60 )) || exit 9; sleep 0.2; done"
        }
        let ported = zip(self.ports, ports).reduce(lines.joined(separator: "\n")) { text, port in
            text.replacing("localhost:\(port.0)", with: "localhost:\(port.1)")
        }
        return "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n\(ported)\n"
    }

    /// The page, the words before its commands, the minimum number of commands, and the end of the output.
    @Test(arguments: [
        ("docs/by-hand.md", "\n", 12, "answered: "), ("README.md", "**Server developer.**", 4, "checked: "),
    ])
    func theCommandsLeadToASuccess(_ page: String, _ words: String, _ least: Int, _ end: String) async throws {
        try await withInstallation { installation in
            let place = URL(filePath: installation.workspace.directory)
            let files = FileManager.default
            try files.createDirectory(at: place.appending(path: "dev"), withIntermediateDirectories: true)
            // The programs of this build, found from any test.
            let asked = place.appending(path: "dev/bin-path")
            try Data("#!/bin/sh\necho '\(installation.binaries.directory)'\n".utf8).write(to: asked)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: asked.path)
            for (name, target) in [("Examples", Self.root.path + "/Examples")] {
                try files.createSymbolicLink(atPath: place.appending(path: name).path, withDestinationPath: target)
            }
            let commands = try Self.commands(of: page, after: words)
            #expect(commands.count >= least)
            let script = Self.script(commands, ports: try (0..<3).map { _ in try Loopback.freePort() })
            let path = place.appending(path: "commands.sh")
            try Data("cd '\(place.path)'\n\(script)".utf8).write(to: path)
            let ended = try installation.runScript(path.path)
            #expect(ended.status == 0 && ended.output.contains(end), "\(ended.output)")
        }
    }
}
