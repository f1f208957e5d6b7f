internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// `locationctl log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract:
            "Show when each app received the location, and the outcome of each push. The log contains no positions."
    )

    @Option(name: .shortAndLong, help: "How many lines, 1 to 250.") var lines = 50
    @Option(help: "Show only the lines of this app.") var bundle = ""
    @Flag(help: "Print JSON, one object per line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (1...250).contains(self.lines) else {
            throw ValidationError("--lines must be 1 to 250, not \(self.lines)")
        }
    }

    func run() throws {
        let reply = try self.daemon.ask(
            .with {
                $0.log = .with {
                    $0.last = UInt32(self.lines)
                    $0.bundle = self.bundle
                }
            }
        )
        guard case .log(let log) = reply.body else { return }
        if log.lines.isEmpty {
            // Print this for people only; a program recognizes the empty output.
            let subject =
                self.bundle.isEmpty ? "yet" : "of \(PlainText.of(self.bundle)); `locationctl apps` lists the apps"
            FileHandle.standardError.write(Data("log: nothing is known \(subject)\n".utf8))
        }
        for line in log.lines {
            if self.json {
                print(try line.json)
            } else {
                let bundle = line.bundle.isEmpty ? "(device)" : line.bundle
                print("\(Timestamp.of(line.time))  \(bundle)  \(PlainText.of(line.text))")
            }
        }
    }
}
